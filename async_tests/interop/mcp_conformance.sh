#!/usr/bin/env bash
# The protocol's own conformance suite against weft::mcp_server: all scenarios of a revision.
# usage: mcp_conformance.sh <program mcp_served> <folder of foreign programs> <package's folder> <scenarios> [revision]
set -euo pipefail
. "$(dirname "$0")/langgraph_start.sh"
. "$(dirname "$0")/mcp_packages.sh"
need_mcp_clients "$2"
suite=$2/$3/node_modules/@modelcontextprotocol/conformance/dist/index.js
[ -r "$suite" ] || skip "there is no conformance suite in $3; scripts/install-deps --tools installs it"
suite=$(cd "$(dirname "$suite")" && pwd)/index.js
here=$(pwd)
program=$1
start_one() { "$program" "$1" >"$work/server.log" 2>&1 & }
start_on_some_port start_one || fail "the server does not start: $(cat "$work/server.log")"
cd "$work"
"$node22" "$suite" server --url "http://localhost:$port/mcp" --suite all ${5:+--spec-version "$5"} >suite.log 2>&1 ||
    fail "$(sed -n '/SUMMARY/,$p' suite.log)"
cd "$here"
passed=$(grep -c '^✓' "$work/suite.log")
[ "$passed" -ge "$4" ] || fail "only $passed of $4 scenarios passed: $(cat "$work/suite.log")"
sed -n 's/^Total: /conformance: /p' "$work/suite.log"
kill -TERM "$server"
wait "$server" || fail "the server ended with $?: $(cat "$work/server.log")"
server=
