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
for ((run = 1; run <= ${RUNS:-3}; run++)); do
  start=$(date +%s%N)
  ./shardplan "${p1[@]}" --json "$answer" >/dev/null
  wall=$((($(date +%s%N) - start) / 1000000))
  search=$(grep -o '"wall_seconds" *: *[0-9.eE+-]*' "$answer" | head -1 | grep -o '[0-9.eE+-]*$')
  space=$(grep -o '"space" *: *[0-9]*' "$answer" | head -1 | grep -o '[0-9]*$')
  optimal=$(grep -o '"optimal" *: *[a-z]*' "$answer" | head -1 | grep -o '[a-z]*$')
  awk -v run="$run" -v wall="$wall" -v search="$search" -v space="$space" -v optimal="$optimal" -v cores="$(nproc)" 'BEGIN {
    printf "P1 cold start %d on %d cores: search %.3f s (wanted 0.5, ratio %.1f), whole command %.3f s (wanted 2, ratio %.1f), %d tuples, optimal %s\n",
      run, cores, search, 0.5 / search, wall / 1000, 2000 / wall, space, optimal }'
done
