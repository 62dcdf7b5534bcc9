#!/usr/bin/env bash
# mcp_client against the protocol's own test server "everything", as a process and over HTTP, which is also killed.
# usage: mcp.sh <program mcp_everything> <folder of node_modules>
set -euo pipefail

. "$(dirname "$0")/server.sh"

# restart_server <script of the server> <port> <folder>: kills it if it runs, starts it and waits until it listens.
restart_server() {
    if [ -r "$3/pid" ]; then kill -KILL "$(cat "$3/pid")"; fi
    PORT=$2 node "$1" streamableHttp >>"$3/log" 2>&1 &
    echo $! >"$3/pid"
    wait_for_port "$2" $! || fail "the server does not start: $(cat "$3/log")"
}
if [ "$1" = restart ]; then
    restart_server "$2" "$3" "$4"
    exit
fi

client=$1
modules=$2
need_node
server=$modules/@modelcontextprotocol/server-everything/dist/index.js
[ -r "$server" ] ||
    skip "there is no package @modelcontextprotocol/server-everything; scripts/install-deps --tools installs it"

work=$(mktemp -d)
trap 'if [ -r "$work/pid" ]; then kill -KILL "$(cat "$work/pid")"; fi; rm -rf "$work"' EXIT
"$client" stdio "$work/stdio_pid" node "$server" stdio

port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => {
    console.log(s.address().port); s.close(); })')
restart_server "$server" "$port" "$work"
"$client" http "http://127.0.0.1:$port/mcp" "bash '$0' restart '$server' $port '$work'"
