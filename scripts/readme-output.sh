#!/usr/bin/env bash
# Writes the real output of README.md's first command between its markers, shortened; --check only says whether what stands there
# still is what the command prints (the search's own time aside).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

command=$(grep -m1 '^\./shardplan plan' README.md)
out=$(COLUMNS=110 bash -c "$command --quiet" </dev/null)

# what is left out is said where it is left out
shortened=$(awk '
  /^Pipeline/ { section = "pipeline" }
  /^Plans/ { section = "plans"; rows = 0 }
  /^Time against memory/ { section = "front"; print "(Time against memory: the plans that no other beats in both)\n"; next }
  /^Search/ { section = "search" }
  /^Notes/ { print "(Notes: what was assumed, and where it is from)"; exit }
  section == "front" { next }
  section == "plans" && rows > 6 { if ($0 == "") { print "     (seven more)\n" ; section = "" } ; next }
  section == "plans" && /^ +[0-9]+ / { rows += 2; if (rows > 6) { next } }
  { print }
' <<<"$out")

fresh=$(
  awk -v out="$shortened" '
    /^<!-- output/ { print; print "```"; print out; print "```"; skip = 1; next }
    /^<!-- end of output -->/ { skip = 0 }
    !skip { print }
  ' README.md
)

timeless() { sed -E 's/ in [0-9.,]+ (us|ms|s);/;/; s/[0-9.,]+ (us|ms|s)$//' <<<"$1" | tr -s ' \n' ' '; }
if [ "${1:-}" = --check ]; then
  [ "$(timeless "$fresh")" = "$(timeless "$(cat README.md)")" ] || { echo "README.md: not what the command prints now. Maybe run scripts/readme-output.sh" >&2; exit 1; }
else
  printf '%s\n' "$fresh" >README.md
fi
