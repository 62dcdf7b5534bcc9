#!/usr/bin/env bash
# Graphviz's own program reads what to_dot writes, and says the same again in its own words.
# usage: dot.sh <program draw_gallery>
set -euo pipefail
. "$(dirname "$0")/drawing.sh"
command -v dot >/dev/null || skip "there is no program dot; scripts/install-deps --tools installs it"
draw "$1"
for file in "$work"/*.dot; do
    complaints=$(dot -Tcanon "$file" 2>&1 >"$file.canon")
    if [ -n "$complaints" ]; then
        echo "failed: $(basename "$file"): $complaints" >&2
        exit 1
    fi
    for what in ' -> ' 'subgraph cluster'; do
        written=$(grep -cE "^ *([nk][0-9]+)?$what" "$file" || true)
        read_back=$(grep -cE "^[[:space:]]*([nk][0-9]+)?$what" "$file.canon" || true)
        if [ "$written" != "$read_back" ]; then
            echo "failed: $(basename "$file"): $written times '$what', and dot reads $read_back" >&2
            exit 1
        fi
    done
    echo "$(basename "$file"): $(wc -l <"$file") lines"
done
