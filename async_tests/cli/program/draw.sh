#!/usr/bin/env bash
# weft draw and weft explain: formats, files, and what they refuse.
. "$(dirname "$0")/../program.sh"
graph=$source/samples/graphs/triage.json

run 0 draw "$graph"
[[ $out == *"flowchart TB"* ]] || fail "no Mermaid: $out"
is "$err" ""
run 0 draw "$graph" --direction right --title Hello
has "$out" "flowchart LR" "Hello"
run 0 draw "$graph" --format dot
has "$out" "digraph"
run 0 draw "$graph" -o triage.GV
is "$out" ""
has "$(<triage.GV)" "digraph"
run 0 draw "$graph" --out triage.json
has "$(<triage.json)" '"schemaVersion":"1.3"'
run 0 draw "$graph" --out triage.mmd --legend
has "$(<triage.mmd)" "flowchart TB"

run 2 draw "$graph" -o triage.png
has "$err" "weft draw: triage.png: its extension is none of .mmd, .dot, .json, .svg"
run 2 draw "$graph" -o nowhere/triage.dot
has "$err" "weft draw: cannot write nowhere/triage.dot: No such file or directory"
run 2 draw "$graph" --format png
has "$err" "--format"
run 2 draw
has "$err" "FILE is required" "See weft draw --help"
echo '{"name": "bad", "nodes": []' >bad.json
run 1 draw bad.json -o bad.dot
has "$err" "bad.json:2:1: error: \$: this is no JSON" "weft draw: bad.json has 1 mistake"
[ ! -e bad.dot ] || fail "a drawing of nothing was written"

status=0
"$weft" draw "$graph" -o triage.svg 2>svg.err || status=$?
if [ "$status" = 0 ]; then
    has "$(<triage.svg)" "<svg" "classify"
else
    is "$status" 2
    has "$(<svg.err)" "built without Graphviz" "libgraphviz-dev" "--format dot"
fi

run 0 explain "$graph"
has "$out" "triage" "category  string" "calls classify" "3 attempts" "when -> page [urgent] if urgency >= 8" "node visits of a run" \
    "1000 (default)" "Goal: answered"
run 0 explain "$source/samples/graphs/report.json"
has "$out" "branches meet at write (quorum)" "updates join by merge"
run 1 explain bad.json
run 2 explain nowhere.json
has "$err" "weft explain: cannot read nowhere.json"
echo "draw: all is well"
