#!/usr/bin/env bash
# The hooks useStream of @langchain/langgraph-sdk and @langchain/react, in Chromium, against a server of weft.
# usage: use_stream.sh <program langgraph_server> <folder with node_modules of the hooks>
set -euo pipefail
. "$(dirname "$0")/langgraph_start.sh"
command -v node >/dev/null || skip "there is no node"
[ -d "$2/node_modules/@langchain/react" ] || skip "there is no @langchain/react; scripts/install-deps --tools installs it"
start_langgraph_server "$1"
beside_langgraph_server node "$(dirname "$0")/use_stream/use_stream.mjs" "$url" "$2"
end_langgraph_server
