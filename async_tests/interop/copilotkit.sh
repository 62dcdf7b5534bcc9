#!/usr/bin/env bash
# The runtime of CopilotKit, which speaks AG-UI, in front of a server of weft.
# usage: copilotkit.sh <program langgraph_server> <folder with node_modules of the runtime>
set -euo pipefail
. "$(dirname "$0")/langgraph_start.sh"
command -v node >/dev/null || skip "there is no node"
[ -d "$2/node_modules/@copilotkit/runtime" ] ||
    skip "there is no @copilotkit/runtime; scripts/install-deps --tools installs it"
graphs=tools
start_langgraph_server "$1"
beside_langgraph_server node "$(dirname "$0")/copilotkit.mjs" "$url" "$2"
end_langgraph_server
