#!/usr/bin/env bash
# The schema of graph files, by a validator that others wrote, against the samples and against weft's own reader.
# usage: graph_schema.sh <program spec_check> <folder with a Python environment>
set -euo pipefail
python=$2/bin/python
[ -x "$python" ] || python=$(command -v python3 || true)
if [ -z "$python" ] || ! "$python" -c 'import jsonschema, jsonschema_rs' 2>/dev/null; then
    echo "Python has no packages jsonschema and jsonschema_rs; scripts/install-deps --tools installs it"
    exit 77
fi
"$python" "$(dirname "$0")/graph_schema.py" "$1"
