#!/usr/bin/env bash
# Mermaid's own parser and renderer take what to_mermaid writes.
# usage: mermaid.sh <program draw_gallery> <folder of node_modules> [<folder for pictures>]
set -euo pipefail
. "$(dirname "$0")/drawing.sh"
need_node
for package in mermaid jsdom; do
    [ -d "$2/$package" ] || skip "there is no package $package; scripts/install-deps --tools installs it"
done
draw "$1"
node "$(dirname "$0")/mermaid.mjs" "$2" "$work" "${@:3}"
