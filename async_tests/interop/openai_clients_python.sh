#!/usr/bin/env bash
# OpenAI's own client in Python and the sample of a client, against a server of weft.
# usage: openai_clients_python.sh <program openai_server> <folder with a Python environment>
set -euo pipefail
. "$(dirname "$0")/langgraph_start.sh"
python=$2/bin/python
[ -x "$python" ] && "$python" -c 'import openai, websockets' 2>/dev/null ||
    skip "Python has no package openai[realtime]; scripts/install-deps --tools installs it"
loops=3  # connections meet any of them
start_langgraph_server "$1"
beside_langgraph_server "$python" "$(dirname "$0")/openai_clients.py" "$url/v1"
said=$(beside_langgraph_server "$python" "$(dirname "$0")/../../samples/clients/openai_client.py" "$url/v1")
[ "$said" = "You said: Hello (1)
You said: And again (3)" ] || fail "the sample says: $said"
said=$(beside_langgraph_server "$python" "$(dirname "$0")/../../samples/clients/openai_tools.py" "$url/v1" helper)
[ "$said" = "I hear 35 m, Paris is near" ] || fail "the sample with tools says: $said"
end_langgraph_server
# The page shows the samples as they are.
root=$(dirname "$0")/../..
for sample in openai_client openai_tools; do
    sed -n "/^# samples\/clients\/$sample.py$/,/^\`\`\`$/p" "$root/docs/server/OPENAI.md" | sed '1d;$d' |
        diff - <(sed 1d "$root/samples/clients/$sample.py") || fail "docs/server/OPENAI.md differs from $sample.py"
done
