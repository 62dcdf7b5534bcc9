#!/usr/bin/env bash
# LangGraph's own client in Python against a server of weft.
# usage: langgraph_python.sh <program langgraph_server> <folder with a Python environment>
set -euo pipefail
. "$(dirname "$0")/langgraph_start.sh"
python=$2/bin/python
[ -x "$python" ] && "$python" -c 'import langgraph_sdk' 2>/dev/null ||
    skip "Python has no package langgraph_sdk; scripts/install-deps --tools installs it"
loops=3  # connections meet any of them
start_langgraph_server "$1"
"$python" "$(dirname "$0")/langgraph_python.py" "$url"
end_langgraph_server
