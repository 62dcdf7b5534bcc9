#!/usr/bin/env bash
# OpenAI's own client library as a client of the scripted endpoint.
# usage: openai_python.sh <program scripted_endpoint> <folder with a Python environment>
set -euo pipefail
unset WEFT_LLM_URL SSL_CERT_FILE
. "$(dirname "$0")/endpoint.sh"
python=$2/bin/python
[ -x "$python" ] || python=$(command -v python3 || true)
[ -n "$python" ] && "$python" -c 'import openai' 2>/dev/null ||
    skip "Python has no package openai; scripts/install-deps --tools installs it"
"$python" "$(dirname "$0")/openai_python.py"
