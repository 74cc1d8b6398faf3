#!/usr/bin/env bash
# Runs each verb that exists once, through ./shardplan, as a user would; fails when one fails or prints nothing.
# A new verb gets a line in the list below.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

ran=0
smoke() {
  local out
  echo "== shardplan $*"
  out=$(./shardplan "$@" </dev/null) || { echo "smoke: exit $? from: shardplan $*" >&2; exit 1; }
  [ -n "$out" ] || { echo "smoke: nothing on stdout from: shardplan $*" >&2; exit 1; }
  ran=$((ran + 1))
}

# refused ARGUMENTS...: a mistake must end with exit 2 and say something on stderr
refused() {
  local code=0 err
  echo "== shardplan $* (must be refused)"
  err=$(./shardplan "$@" </dev/null 2>&1 >/dev/null) || code=$?
  [ $code -eq 2 ] && [ -n "$err" ] || { echo "smoke: exit $code, wanted 2 and a message, from: shardplan $*" >&2; exit 1; }
  ran=$((ran + 1))
}

smoke --version
smoke --help
refused no-such-verb

echo "smoke: $ran runs, all as they should be"
