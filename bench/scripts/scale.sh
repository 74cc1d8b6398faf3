#!/usr/bin/env bash
# Prints what grows with a cluster: the cost of a search from 64 to 131,072 devices, then the whole command for 98,304 devices, and the
# event simulation of a step of Llama-3.1 405B on 16,384 GPUs with one straggler, in at most 8 GiB. Builds what it needs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. scripts/find-jdk.sh
find_jdk || exit 70

mvn -q -B -ntp -Dstyle.color=never -Dmaven.test.skip=true -Dspotless.check.skip=true -pl bench -am package </dev/null
"$JAVA_HOME/bin/java" -XX:+UseSerialGC -cp bench/target/shardplan-bench.jar org.shardplan.bench.Scale "$@"

./shardplan --version >/dev/null # builds and trains the start-up cache
TIMEFORMAT='%R s of wall time, %U + %S s of processor time'
echo "plan llama3.1-405b on dgx-h100:12288 (98,304 devices), wanted 10 s:"
time ./shardplan plan llama3.1-405b --cluster dgx-h100:12288 --global-batch 16M-tokens --quiet | grep "a step"
echo "simulate llama3.1-405b on 16,384 GPUs, device 137 a fifth slower, wanted 10 s and 8 GiB:"
export JDK_JAVA_OPTIONS="${JDK_JAVA_OPTIONS:-} -Xmx8g"
time ./shardplan simulate llama3.1-405b --cluster "dgx-h100:2048,straggler=137:20%,contention=yes" --global-batch 2048 \
  --plan "tp=16,pp=16,vpp=7,mb=1,sp,zero=1" --quiet 2>/dev/null | grep -E "a step|scored"
