#!/usr/bin/env bash
# The models of AG-UI in Python read what a server of weft sends.
# usage: ag_ui_models.sh <program langgraph_server> <virtual environment with ag-ui-protocol>
set -euo pipefail
. "$(dirname "$0")/langgraph_start.sh"
"$2/bin/python" -c "import ag_ui.core" 2>/dev/null ||
    skip "there is no ag-ui-protocol; scripts/install-deps --tools installs it"
graphs=tools
start_langgraph_server "$1"
beside_langgraph_server "$2/bin/python" "$(dirname "$0")/ag_ui_models.py" "$url"
end_langgraph_server
