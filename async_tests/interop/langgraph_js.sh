#!/usr/bin/env bash
# LangGraph's own client in JavaScript, in the versions that are in use, against a server of weft.
# usage: langgraph_js.sh <program langgraph_server> <folder with langgraph_sdk-VERSION/node_modules>
set -euo pipefail
. "$(dirname "$0")/langgraph_start.sh"
command -v node >/dev/null || skip "there is no node"
folders=("$2"/langgraph_sdk-*/)
[ -d "${folders[0]}" ] || skip "there is no @langchain/langgraph-sdk; scripts/install-deps --tools installs it"
# From version 22 on node has WebSocket without being asked.
options=()
if node --experimental-websocket -e 0 2>/dev/null; then options=(--experimental-websocket); fi
start_langgraph_server "$1"
for folder in "${folders[@]}"; do
    node "${options[@]}" "$(dirname "$0")/langgraph_js.mjs" "$url" "$(cd "$folder" && pwd)"
done
end_langgraph_server
