#!/usr/bin/env bash
# Prints how fast Shardplan is, beside what was asked for: rates of the parts, then the whole command on P1 (GPT-3 175B on 1,024
# A100-80GB, batch 1,536) from a cold start. Builds what it needs. RUNS=5 bench/scripts/speed.sh takes more cold starts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. scripts/find-jdk.sh
find_jdk || exit 70

mvn -q -B -ntp -Dstyle.color=never -Dmaven.test.skip=true -Dspotless.check.skip=true -pl bench -am package </dev/null
"$JAVA_HOME/bin/java" -XX:+UseSerialGC -cp bench/target/shardplan-bench.jar org.shardplan.bench.Speed "$@"

p1=(plan gpt3-175b --cluster dgx-a100-80gb:128 --global-batch 1536 --seq-len 2048)
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT
./shardplan --version >/dev/null # builds and trains the start-up cache
TIMEFORMAT='%R %U %S'
for ((run = 1; run <= ${RUNS:-3}; run++)); do
  read -r wall user system < <({ time ./shardplan "${p1[@]}" --json "$answer" >/dev/null 2>/dev/null; } 2>&1)
  field() { grep -o "\"$1\" *: *[a-z0-9.eE+-]*" "$answer" | head -1 | sed 's/.*: *//'; }
  awk -v run="$run" -v wall="$wall" -v cpu="$user $system" -v search="$(field wall_seconds)" -v space="$(field space)" \
    -v optimal="$(field optimal)" -v cores="$(nproc)" -v load="$(cut -d' ' -f1 /proc/loadavg 2>/dev/null)" 'BEGIN {
      split(cpu, c, " ")
      printf "P1, cold start %d (%d cores, load %s): search %.2f s (wanted 0.5, ratio %.1f), whole command %.2f s (wanted 2, ratio %.1f), %.2f s of processor time, %d tuples, optimal %s\n",
        run, cores, load, search, 0.5 / search, wall, 2 / wall, c[1] + c[2], space, optimal }'
done
