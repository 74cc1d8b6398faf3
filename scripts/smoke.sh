#!/usr/bin/env bash
# Runs each verb that exists, through ./shardplan, as a user would: exit statuses 0, 1 and 2, what stands on stdout and stderr, and each
# file that a verb can write. A new verb gets lines below.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
ran=0

fail() {
  echo "smoke: $*" >&2
  exit 1
}

# expect STATUS ARGUMENTS...: 0 and 1 answer on stdout; 2 says on stderr what is wrong and what may help, and answers nothing
expect() {
  local wanted=$1 code=0
  shift
  echo "== shardplan $* (exit $wanted)"
  ./shardplan "$@" </dev/null >"$dir/out" 2>"$dir/err" || code=$?
  [ $code -eq "$wanted" ] || { cat "$dir/err" >&2; fail "exit $code, wanted $wanted, from: shardplan $*"; }
  if [ "$wanted" -eq 2 ]; then
    [ ! -s "$dir/out" ] || fail "an answer on stdout beside a mistake, from: shardplan $*"
    grep -q '^Maybe' "$dir/err" || fail "no line that starts with Maybe, from: shardplan $*"
  else
    [ -s "$dir/out" ] || fail "nothing on stdout, from: shardplan $*"
  fi
  ! grep -q 'Exception\|a bug of ours' "$dir/err" || fail "a bug, from: shardplan $*"
  ran=$((ran + 1))
}

# holds FILE TEXT: the file is there and holds the text
holds() {
  grep -q -- "$2" "$1" 2>/dev/null || fail "$1 does not hold $2"
}

problem=(llama-tiny --cluster dgx-a100-80gb:1 --global-batch 16)

expect 0 --version
expect 0 --help
expect 2 no-such-verb
expect 0 doctor
expect 0 completion

for verb in models clusters methods frameworks; do
  expect 0 $verb
  expect 0 $verb --json "$dir/$verb.json"
  holds "$dir/$verb.json" "shardplan.$verb/1"
done

printed=examples/clusters/nvidia-smi-topo-m.txt,examples/clusters/topology.conf
machine=$printed,device=a100-sxm-80gb,nic-one-way=200Gbit/s,oversubscription=2,price=2USD/h
expect 0 clusters $machine
cp "$dir/out" "$dir/cluster.yaml"
holds "$dir/cluster.yaml" "oversubscription: 2"
expect 0 clusters "$dir/cluster.yaml"
cmp -s "$dir/out" "$dir/cluster.yaml" || fail "cluster.yaml read and written again is not the same"
expect 2 clusters $printed
expect 0 plan llama-tiny --cluster "$dir/cluster.yaml" --global-batch 96 --top 1 --tokens 1B
holds "$dir/out" "USD (96 devices"
expect 0 plan "${problem[@]}" --tokens 1B
holds "$dir/out" "USD unknown"
expect 0 plan llama3-8b --cluster dgx-h100:4,price=2USD/h --global-batch 64 --tokens 10B --objective cost --at-most days=30
expect 1 plan llama3-8b --cluster dgx-h100:4,price=2USD/h --global-batch 64 --tokens 10B --at-most days=0.01
holds "$dir/out" "days=0.01"
expect 2 plan "${problem[@]}" --objective cost --tokens 1B

expect 0 sweep examples/sweep/cheapest.yaml --json "$dir/runs.json"
holds "$dir/out" "cheapest on"
holds "$dir/runs.json" shardplan.runs/1
sed 's/days=30/days=0.1/' examples/sweep/cheapest.yaml >"$dir/sweep.yaml"
expect 1 sweep "$dir/sweep.yaml"
expect 2 sweep examples/clusters/two-racks.yaml

expect 0 plan "${problem[@]}" --json "$dir/result.json" --trace "$dir/trace.json" -o "$dir/plan.json"
holds "$dir/result.json" shardplan.result/1
holds "$dir/trace.json" traceEvents
holds "$dir/plan.json" shardplan.plan/1
expect 0 plan "${problem[@]}" --fix tp=2,recompute=full --objective memory --top 3
expect 0 plan "${problem[@]}" --json -
holds "$dir/out" shardplan.result/1
expect 1 plan "${problem[@]}" --at-most step=1us
holds "$dir/out" "No plan keeps within"
expect 1 plan llama2-7b --cluster dgx-a100-40gb/1 --global-batch 4
holds "$dir/out" "GiB over"
holds "$dir/out" "^Maybe"
expect 2 plan "${problem[@]}" --fix tp=3
expect 2 plan meta-llama/Llama-3-8B --cluster dgx-h100:1 --global-batch 8

expect 0 simulate "$dir/plan.json" --json "$dir/again.json" --trace "$dir/trace.json" -o "$dir/plan-again.json"
cmp -s "$dir/plan.json" "$dir/plan-again.json" || fail "plan.json read and written again is not the same"
expect 0 simulate "${problem[@]}" --plan tp=2,pp=2,mb=1,sp,zero=1
expect 1 simulate llama2-7b --cluster dgx-a100-40gb:1 --global-batch 64 --plan tp=2,mb=4
expect 2 simulate "${problem[@]}" --plan tp=3,dp=1

expect 0 simulate llama3-8b --cluster dgx-h100:1 --global-batch 32 --seq-len 65536 --plan cp=8,zero=1,recompute=full
holds "$dir/out" "exposed cp"
expect 2 simulate llama3-8b --cluster dgx-h100:1 --global-batch 32 --seq-len 8191 --plan cp=8
expect 0 simulate llama3-8b --cluster dgx-h100:1 --global-batch 64 --framework megatron-zero-bubble --plan pp=4,tp=2,schedule=zb-h1,zero=1 -o "$dir/zb.json"
holds "$dir/zb.json" zb-h1
expect 0 simulate "$dir/zb.json"
expect 2 simulate llama3-8b --cluster dgx-h100:1 --global-batch 64 --plan pp=4,schedule=dualpipe
expect 0 simulate llama3-8b --cluster dgx-h100:1 --global-batch 64 --task lora:rank=16,targets=all --plan tp=2,mb=1
expect 2 simulate llama3-8b --cluster dgx-h100:1 --global-batch 64 --task lorra --plan tp=2
expect 0 simulate llama3-8b --cluster dgx-h100:2,straggler=3:20%,contention=yes --global-batch 64 --plan tp=2,pp=2,zero=1,mb=1,recompute=full --json "$dir/events.json"
holds "$dir/events.json" '"evaluator" *: *"events"'
expect 0 simulate qwen3-235b-a22b --cluster gb200-nvl72:2 --framework megatron-bridge --precision mxfp8 --global-batch 2048 --plan pp=4,ep=32,dp=32,mb=1,zero=1
holds "$dir/out" "exposed ep"
expect 0 simulate palm-540b --cluster tpu-v4:2x3072 --framework maxtext --global-batch 2048 --plan tp=12,dp=512,zero=3,replicas=2,mb=1,recompute=selective

expect 0 explain "$dir/plan.json"
expect 0 explain "$dir/plan.json" --against tp=2 --against pp=2
expect 2 explain examples/gpt2/config.json

expect 0 validate bench/rows/megatron-korthikanti2022.csv --json "$dir/validation.json"
holds "$dir/validation.json" shardplan.validation/1
printf 'id,gpu\nx,y\n' >"$dir/rows.csv"
expect 2 validate "$dir/rows.csv"

echo "smoke: $ran runs, all as they should be"
