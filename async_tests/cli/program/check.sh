#!/usr/bin/env bash
# weft check: exit statuses, streams, and the three formats.
. "$(dirname "$0")/../program.sh"

run 0 check "$source"/samples/graphs/*.json
has "$out" "12 files: no errors, no warnings, 1 note" "belong to a C++ program: answer, classify, condense"

run 0 check "$source"/samples/graphs/complaint.yaml
has "$out" "1 file: no errors, no warnings"

# YAML files are as good as JSON, for every command that reads a graph.
cat >shop.yaml <<'END'
name: shop
state:
  - {name: who, type: string, initial: world}
  - {name: text, type: string}
nodes:
  - name: greet
    kind: set
    settings:
      expressions: {text: "'Hello, ' + who"}
  - {name: idle, kind: join}
edges:
  - {from: __start__, to: greet}
  - {from: greet, to: idle, when: who == 'Ada'}
END
run 0 check shop.yaml
has "$out" "1 file: no errors, 1 warning"
has "$err" "shop.yaml:6:5: warning: no_otherwise: " $'\n    - name: greet\n'"$(printf '%6s^' '')"
run 0 run -q shop.yaml --input who=Ada
has "$out" "Hello, Ada"
run 0 explain shop.yaml
has "$out" "greet"
run 0 draw shop.yaml
has "$out" "greet"
sed 's/greet/welcome/' shop.yaml >shop2.yml
run 0 compat shop.yaml shop2.yml
has "$out" "node 'greet': it is gone"
run 2 new shop.yaml
has "$err" "weft new: it writes JSON"
sed 's/join/jion/; s/to: greet/to: gret/' shop.yaml >worse.yaml
run 1 check worse.yaml
has "$err" "worse.yaml:10:24: error: \$.nodes[1].kind: there is no kind 'jion' (did you mean 'join'?)" \
    "worse.yaml:12:27: error: \$.edges[0].to: there is no node 'gret' (did you mean 'greet'?)"
printf 'name: x\nnodes:\n\t- a\n' >tab.yaml
run 1 check tab.yaml
has "$err" "tab.yaml:3:2: error: \$: this is no YAML: the line is indented by a tab: use spaces"

cat >bad.json <<'END'
{
  "name": "bad",
  "nodes": [{"name": "plan", "kind": "join"}],
  "edges": [
    {"from": "__start__", "to": "plan"},
    {"from": "plan", "to": "pln"}
  ]
}
END
run 1 check bad.json
has "$err" "bad.json:6:28: error: \$.edges[1].to: there is no node 'pln' (did you mean 'plan'?)" \
    $'\n      {"from": "plan", "to": "pln"}\n'"$(printf '%29s^' '')"
is "$out" "1 file: 1 error, no warnings, no notes"
[[ $err != *$'\e'* ]] || fail "there are colours in a pipe"

run 1 check --format json bad.json
is "$err" ""
has "$out" '"rule":"invalid_graph"' '"line":6,"column":28' '"path":"$.edges[1].to"' '"errors":1'

run 1 check --format sarif bad.json
has "$out" '"version":"2.1.0"' '"uri":"bad.json"' '"startLine":6,"startColumn":28' '"level":"error"'

cat >conflict.json <<'END'
{
  "name": "conflict",
  "state": [{"name": "text", "type": "string"}],
  "nodes": [
    {"name": "a", "kind": "join"},
    {"name": "b", "kind": "set", "writes": ["text"], "settings": {"values": {"text": "b"}}},
    {"name": "c", "kind": "set", "writes": ["text"], "settings": {"values": {"text": "c"}}},
    {"name": "d", "kind": "join"}
  ],
  "edges": [
    {"from": "__start__", "to": "a"}, {"from": "a", "to": "b"}, {"from": "a", "to": "c"},
    {"from": "b", "to": "d"}, {"from": "c", "to": "d"}
  ]
}
END
run 0 check conflict.json
has "$err" "warning: possible_write_conflict:" "remedy:"
run 1 check --strict conflict.json
run 1 check --strict conflict.json bad.json
is "$out" "2 files: 1 error, 1 warning, no notes"

run 2 check nowhere.json
is "$err" "weft check: cannot read nowhere.json: No such file or directory"
run 2 check .
has "$err" "cannot read .: it is a folder"
run 2 check bad.json nowhere.json
has "$err" "bad.json:6:28" "cannot read nowhere.json"

cat >foreign.json <<'END'
{"name": "foreign", "state": [{"name": "home", "type": "address"}],
 "nodes": [{"name": "find", "kind": "lookup"}], "edges": [{"from": "__start__", "to": "find"}]}
END
run 1 check foreign.json
has "$err" "there is no kind 'lookup'" "'address'"
run 0 check --kinds lookup,mail --types address foreign.json
run 2 check --kinds join foreign.json
has "$err" "is always there"

# W2: names of options never swallow names of files.
for words in "--kinds a,b" "--kinds=a,b" "--types a --types b" "--tools a,b"; do
    run 1 check $words bad.json "$source/samples/graphs/hello.json"
    has "$out" "2 files: 1 error"
done

mkdir inner
echo '{"name": "in", "nodes": [{"name": "x", "kind": "jion"}]}' >inner/b.json
cat >outer.json <<'END'
{"name": "out", "nodes": [{"name": "in", "kind": "subgraph", "settings": {"graph": "inner/b.json"}}],
 "edges": [{"from": "__start__", "to": "in"}]}
END
cd inner
run 1 check ../outer.json
has "$err" "../inner/b.json:1:48: error: " "(did you mean 'join'?)" '  {"name": "in", "nodes": [{"name": "x", "kind": "jion"}]}'
echo "check: all is well"
