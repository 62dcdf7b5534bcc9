#!/usr/bin/env bash
# AG-UI's own client in JavaScript, and the sample beside it, against a server of weft.
# usage: ag_ui.sh <program langgraph_server> <folder with node_modules of the client> <folder of the samples>
set -euo pipefail
. "$(dirname "$0")/langgraph_start.sh"
command -v node >/dev/null || skip "there is no node"
[ -d "$2/node_modules/@ag-ui/client" ] || skip "there is no @ag-ui/client; scripts/install-deps --tools installs it"
loops=2
graphs=tools
start_langgraph_server "$1"
beside_langgraph_server node "$(dirname "$0")/ag_ui.mjs" "$url" "$2"
# Packages are looked for beside a module.
cp "$3/clients/ag_ui.mjs" "$2/sample.mjs"
said=$(beside_langgraph_server node "$2/sample.mjs" "$url" assistant)
[ "$said" = "$(printf '1 2 3 \n\nShall I?\nYou say yes')" ] || fail "the sample says: $said"
end_langgraph_server
