#!/usr/bin/env bash
# The studio in Chromium, as a person uses it: by keyboard, in both themes, on graphs that branch, ask, fail and misbehave.
# usage: studio.sh <program studio_server> <folder with node_modules of axe-core, preact and htm>
set -euo pipefail
. "$(dirname "$0")/langgraph_start.sh"
command -v node >/dev/null || skip "there is no node"
chromium=$(command -v chromium || command -v chromium-browser) || skip "there is no Chromium"
axe=$2/node_modules/axe-core/axe.min.js
[ -f "$axe" ] || skip "there is no axe-core; scripts/install-deps --tools installs it"
# What others wrote stands in the tree as they published it.
page=$(dirname "$0")/../../lib/serve/studio/page
for part in preact/dist/preact.mjs preact/hooks/dist/hooks.mjs htm/dist/htm.mjs; do
    cmp "$2/node_modules/$part" "$page/$(basename "$part")" || fail "$part is not as it was published"
done
start_langgraph_server "$1"
beside_langgraph_server node "$(dirname "$0")/studio/studio.mjs" "$chromium" "$url" "$axe" "$1"
end_langgraph_server
