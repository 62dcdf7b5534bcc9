#!/usr/bin/env bash
# LiteLLM's provider for LangGraph against a server of weft.
# usage: langgraph_litellm.sh <program langgraph_server> <folder with a Python environment>
set -euo pipefail
. "$(dirname "$0")/langgraph_start.sh"
python=$2/bin/python
[ -x "$python" ] && "$python" -c 'import importlib.util as i; exit(not i.find_spec("litellm"))' ||
    skip "Python has no package litellm; scripts/install-deps --tools installs it"
start_langgraph_server "$1"
"$python" "$(dirname "$0")/langgraph_litellm.py" "$url"
end_langgraph_server
