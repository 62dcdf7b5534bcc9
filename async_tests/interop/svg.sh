#!/usr/bin/env bash
# Chromium shows what to_svg writes.
# usage: svg.sh <program draw_gallery> [<folder for pictures>]
set -euo pipefail
. "$(dirname "$0")/drawing.sh"
need_node
draw "$1"
if compgen -G "$work/*.svg" >/dev/null; then
    mkdir "$work/none"
    if complaint=$(GVBINDIR=/nonexistent "$1" "$work/none" 2>&1); then
        echo "failed: without plugins of Graphviz there is no error" >&2
        exit 1
    elif ! grep -q "the drawing cannot be laid out.*install the package graphviz" <<<"$complaint"; then
        echo "failed: without plugins of Graphviz the error is: $complaint" >&2
        exit 1
    fi
fi
node "$(dirname "$0")/svg.mjs" "$work" "${@:2}"
