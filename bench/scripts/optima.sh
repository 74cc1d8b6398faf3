#!/usr/bin/env bash
# Writes the table of believable optima in docs/accuracy.md anew, with the commands that it prints. With --check it compares the table
# instead, and ends with status 1 where it is behind.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
page=docs/accuracy.md

# "19.2 s, MFU 0.553" of the best plan, or of the plan that is simulated
best() {
  ./shardplan "$@" --quiet | awk '/ a step / && /MFU/ { for (i = 1; i <= NF; i++) if ($i == "MFU") { printf "%s %s, MFU %.3f", $1, $2, $(i + 1) / 100; exit } }'
}

table() {
  echo '| GPUs | batch 768 | batch 1,536 | batch 3,072 |'
  echo '|--:|---|---|---|'
  for nodes in 32 64 128 256; do
    row="| $((nodes * 8)) |"
    for batch in 768 1536 3072; do
      row="$row $(best plan gpt3-175b --cluster dgx-a100-80gb:$nodes --global-batch $batch) |"
    done
    echo "$row"
  done
  echo
  while IFS= read -r line; do
    # shellcheck disable=SC2086
    echo "- \`./shardplan $line\`: $(best $line)"
  done <<'COMMANDS'
plan mt-nlg-530b --cluster dgx-a100-80gb:280 --global-batch 1920 --fix recompute=selective
plan mt-nlg-530b --cluster dgx-a100-80gb:280 --global-batch 1920 --fix recompute=selective --framework megatron-lm-2022
simulate mt-nlg-530b --framework megatron-deepspeed --cluster selene:280 --global-batch 1920 --plan tp=8,pp=35,mb=1,zero=1,recompute=full
plan llama3-70b --cluster dgx-h100:8 --global-batch 512 --seq-len 8192
plan llama3-70b --cluster dgx-h100:8 --global-batch 512 --seq-len 8192 --fix tp=4,pp=8,vpp=5
COMMANDS
}

new=$(mktemp)
trap 'rm -f "$new"' EXIT
table >"$new.table"
awk -v table="$new.table" '
  /<!-- begin: optima -->/ { print; while ((getline line < table) > 0) print line; skip = 1 }
  /<!-- end: optima -->/ { skip = 0 }
  !skip' "$page" >"$new"
rm -f "$new.table"
if [ "${1:-}" = --check ]; then
  diff "$page" "$new" || { echo "$page is behind. Maybe run bench/scripts/optima.sh" >&2; exit 1; }
else
  cp "$new" "$page"
fi
