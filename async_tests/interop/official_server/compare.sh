#!/usr/bin/env bash
# Runs langgraph_python.py against LangGraph's own development server, with graphs like those of langgraph_server.cpp,
# and says where the two differ. It is run by hand: what it installs has 200 MB.
# usage: async_tests/interop/official_server/compare.sh [<folder for the Python environment>]
# Exit status: 0 if each difference is one that expected_differences.txt has, with its reason.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
environment=${1:-$here/../../../build/interop/official}
. "$here/../server.sh"
if [ ! -x "$environment/bin/langgraph" ]; then
    python3 -m venv "$environment"
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check \
        "langgraph-cli[inmem]==0.4.40" langgraph-api==0.16.7 langgraph-sdk==0.4.14
fi
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
cp "$here"/graphs.py "$here"/langgraph.json "$work"

start_official() {
    (cd "$work" && LANGSMITH_TRACING=false LANGGRAPH_CLI_NO_ANALYTICS=1 PYTHONDONTWRITEBYTECODE=1 \
        exec "$environment/bin/python" -m langgraph_cli dev --host 127.0.0.1 --port "$1" --no-browser --no-reload \
        --n-jobs-per-worker 10 --allow-blocking) >"$work/log" 2>&1 &
}
wait_for_port() {  # it takes longer than others
    for _ in $(seq 600); do
        if ! kill -0 "$2" 2>/dev/null; then return 1; fi
        if curl -sf "http://127.0.0.1:$1/ok" >/dev/null; then return 0; fi
        sleep 0.1
    done
    return 1
}
start_on_some_port start_official || fail "LangGraph's server does not start: $(tail -20 "$work/log")"
"$environment/bin/python" "$here/../langgraph_python.py" "http://127.0.0.1:$port" --differences >"$work/found"
sed '/^#/d; s/ | .*//' "$here/expected_differences.txt" | sort >"$work/expected"
sort "$work/found" >"$work/sorted"
echo "$(wc -l <"$work/sorted") differences, of which these are not expected:"
if comm -13 "$work/expected" "$work/sorted" | grep .; then status=1; else status=0; fi
echo "expected, and not found:"
comm -23 "$work/expected" "$work/sorted"
exit "$status"
