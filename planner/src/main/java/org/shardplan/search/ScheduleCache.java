package org.shardplan.search;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.shardplan.plan.Schedule;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.plan.Schedules;

/** Schedules by what generates them; their tables are built when one is first swept. Thread-safe. */
final class ScheduleCache {
    /** Beyond this the cache starts anew. */
    private static final int MOST = 512;

    /** Schedules of more slots are not kept: their tables are large. */
    private static final long KEPT_SLOTS = 1 << 20;

    private final Map<Key, Schedule> schedules = new ConcurrentHashMap<>();

    private record Key(ScheduleKind kind, int pp, int vpp, int microBatches) {}

    Schedule get(ScheduleKind kind, int pp, int vpp, int microBatches) {
        if (2L * pp * vpp * microBatches > KEPT_SLOTS) {
            return Schedules.of(kind, pp, vpp, microBatches);
        }
        if (schedules.size() > MOST) {
            schedules.clear();
        }
        return schedules.computeIfAbsent(
                new Key(kind, pp, vpp, microBatches), _ -> Schedules.of(kind, pp, vpp, microBatches));
    }
}
