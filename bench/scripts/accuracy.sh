#!/usr/bin/env bash
# Writes the figures of docs/accuracy.md, its plot docs/accuracy.svg and the table of README.md anew from the rows of bench/rows: the ledger, and what each
# effect of the model is worth. With --check it compares them instead, and ends with status 1 where they are behind.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. scripts/find-jdk.sh
find_jdk || exit 70

mvn -q -B -ntp -Dstyle.color=never -Dmaven.test.skip=true -Dspotless.check.skip=true -pl bench -am package </dev/null
"$JAVA_HOME/bin/java" -XX:+UseSerialGC -cp bench/target/shardplan-bench.jar org.shardplan.bench.AccuracyPage "$@"
