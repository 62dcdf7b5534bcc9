#!/usr/bin/env bash
# Chromium shows what to_svg writes.
# usage: svg.sh <program draw_gallery> [<folder for pictures>]
set -euo pipefail
. "$(dirname "$0")/drawing.sh"
need_node
draw "$1"
node "$(dirname "$0")/svg.mjs" "$work" "${@:2}"
