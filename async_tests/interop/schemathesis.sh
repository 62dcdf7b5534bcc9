#!/usr/bin/env bash
# schemathesis makes requests out of /openapi.json: no answer may be a failure of the server, none may be late, and all
# are of the kinds that the description names.
# usage: schemathesis.sh <program langgraph_server> <folder with a Python environment> [<seconds>]
set -euo pipefail
. "$(dirname "$0")/langgraph_start.sh"
python=$(cd "$2" 2>/dev/null && pwd)/bin/python || true
[ -x "$python" ] && "$python" -c 'import importlib.util as i; exit(not i.find_spec("schemathesis"))' ||
    skip "Python has no package schemathesis; scripts/install-deps --tools installs it"
start_langgraph_server "$1"
cd "$work"
# What streams until its client goes away is no answer that ends.
PYTHONWARNINGS=ignore "$python" -m schemathesis.cli run "$url/openapi.json" --url "$url" \
    --checks not_a_server_error,unsupported_method --phases examples,coverage,fuzzing --max-time "${3:-30}" \
    --max-examples 30 --seed 1 --request-timeout 10 --suppress-health-check all --no-color \
    --exclude-path-regex '/stream' >report 2>&1 || { tail -60 report >&2; fail "schemathesis finds faults"; }
tail -5 report
end_langgraph_server
