#!/usr/bin/env bash
# LangGraph's RemoteGraph against a server of weft.
# usage: langgraph_remote.sh <program langgraph_server> <folder with a Python environment>
set -euo pipefail
. "$(dirname "$0")/langgraph_start.sh"
python=$2/bin/python
[ -x "$python" ] && "$python" -c 'import langgraph.pregel.remote' 2>/dev/null ||
    skip "Python has no package langgraph; scripts/install-deps --tools installs it"
start_langgraph_server "$1"
"$python" "$(dirname "$0")/langgraph_remote.py" "$url"
end_langgraph_server
