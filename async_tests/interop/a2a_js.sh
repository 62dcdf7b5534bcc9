#!/usr/bin/env bash
# A2A's own client in JavaScript against a server of weft.
# usage: a2a_js.sh <program langgraph_server> <folder with node_modules>
set -euo pipefail
. "$(dirname "$0")/langgraph_start.sh"
command -v node >/dev/null || skip "there is no node"
[ -d "$2/node_modules/@a2a-js/sdk" ] || skip "there is no @a2a-js/sdk; scripts/install-deps --tools installs it"
loops=2
start_langgraph_server "$1"
beside_langgraph_server node "$(dirname "$0")/a2a_js.mjs" "$url" "$(cd "$2" && pwd)"
end_langgraph_server
