#!/usr/bin/env bash
# schemathesis makes requests out of /openapi.json: no answer may be a failure of the server, none may be late, all are
# of the kinds, types and forms that the description names, and what does not fit it is refused.
# usage: schemathesis.sh <program langgraph_server> <folder with a Python environment> [<seconds>]
set -euo pipefail
. "$(dirname "$0")/langgraph_start.sh"
python=$(cd "$2" 2>/dev/null && pwd)/bin/python || true
[ -x "$python" ] && "$python" -c 'import importlib.util as i; exit(not i.find_spec("schemathesis"))' ||
    skip "Python has no package schemathesis; scripts/install-deps --tools installs it"
start_langgraph_server "$1"
cd "$work"
check_routes() {  # <paths to leave out> <checks>
    PYTHONWARNINGS=ignore "$python" -m schemathesis.cli run "$url/openapi.json" --url "$url" --checks "$2" \
        --phases examples,coverage,fuzzing --max-time "$seconds" --max-examples 30 --seed 1 --request-timeout 10 \
        --suppress-health-check all --no-color --exclude-path-regex "$1" >report 2>&1 ||
        { tail -200 report >&2; fail "schemathesis finds faults"; }
    tail -5 report
}
seconds=$((${3:-30} / 2))
# What streams until its client goes away is no answer that ends.
check_routes '[/:]stream' not_a_server_error,unsupported_method,status_code_conformance,content_type_conformance,\
response_schema_conformance
# A command of the second protocol, or a call of JSON-RPC, that is none is answered with 200.
check_routes '[/:]stream|/commands|^/a2a(/\{assistant_id\})?$|^/mcp$' negative_data_rejection
end_langgraph_server
