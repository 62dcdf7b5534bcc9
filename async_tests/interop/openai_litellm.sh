#!/usr/bin/env bash
# LiteLLM against a server of weft, as one of OpenAI's kind.
# usage: openai_litellm.sh <program openai_server> <folder with a Python environment>
set -euo pipefail
. "$(dirname "$0")/langgraph_start.sh"
python=$2/bin/python
[ -x "$python" ] && "$python" -c 'import importlib.util as i; exit(not i.find_spec("litellm"))' 2>/dev/null ||
    skip "Python has no package litellm; scripts/install-deps --tools installs it"
export LITELLM_LOCAL_MODEL_COST_MAP=True  # prices of models are nothing to fetch here
start_langgraph_server "$1"
beside_langgraph_server "$python" "$(dirname "$0")/openai_litellm.py" "$url/v1"
end_langgraph_server
