#!/usr/bin/env bash
# Runs that are kept in a file, as a stranger uses them: killed in the middle, resumed, looked at, forked, compared.
. "$(dirname "$0")/../program.sh"
unset WEFT_STORE WEFT_LLM_PROVIDER WEFT_LLM_URL WEFT_LLM_API_KEY WEFT_LLM_MODEL OPENAI_API_KEY OPENAI_BASE_URL \
    ANTHROPIC_API_KEY GEMINI_API_KEY GOOGLE_API_KEY

# A loop of many steps, so that a kill finds it in the middle, and a node after it.
make_loop() {
    cat <<END_OF_GRAPH
{
  "name": "loop",
  "state": [{"name": "rounds", "type": "integer", "reducer": "add"}, {"name": "$1", "type": "string"}],
  "nodes": [{"name": "turn", "kind": "set", "settings": {"values": {"rounds": 1}}},
            {"name": "$2", "kind": "set", "settings": {"values": {"$1": "done"}}}],
  "edges": [{"from": "__start__", "to": "turn"}, {"from": "turn", "to": "turn", "when": "rounds < 300"},
            {"from": "turn", "to": "$2"}],
  "limits": {"steps_max": 0}
}
END_OF_GRAPH
}
make_loop words last >loop.json

# Nothing is there yet, and looking makes nothing.
run 2 threads
has "$err" "there is no file weft.db" "--thread"
run 2 resume first
has "$err" "there is no file weft.db"
[ ! -e weft.db ] || fail "looking has made a file"
run 2 run loop.json --store runs.db
has "$err" "--thread is missing"
if "$weft" run loop.json --thread probe 2>&1 </dev/null | grep -q "built without SQLite"; then
    skip "this weft is built without SQLite"
fi
rm -f weft.db*

# A program that is killed in the middle. The log says that it has begun.
"$weft" run loop.json --thread first --log loop.jsonl --quiet >out 2>err &
pid=$!
for (( i = 0; i < 100000000; i++ )); do
    [ ! -s loop.jsonl ] || [ "$(wc -l <loop.jsonl)" -lt 60 ] || break
    kill -0 "$pid" 2>/dev/null || break
done
kill -STOP "$pid"  # it is there, and does not come to its end meanwhile
# A second process may look, and may not write.
run 0 threads
has "$out" "first" "loop" "running"
run 1 fork first 1 second
has "$err" "another store writes this file (process $pid)" "PostgreSQL" "Ctrl-C"
kill -KILL "$pid"
status=0
wait "$pid" 2>/dev/null || status=$?
is "$status" 137
run 0 threads
has "$out" "left: its process is gone"
done_before=$("$weft" show first --json | sed 's/.*"rounds":\([0-9]*\).*/\1/')
(( done_before >= 5 && done_before < 300 )) || fail "it was killed at step $done_before"

# It goes on from there: nothing lost, nothing twice.
run 0 resume first
has "$err" "the process of the thread's run is gone"
has "$out" "rounds    300" "words     done" "301 steps" "status    finished" "thread    first, checkpoint"
run 0 threads --json
has "$out" '"thread":"first"' '"status":"finished"' '"graph":"loop"'
run 2 resume first
has "$err" "nothing is left to do in thread 'first'"

# History, the newest first; the last 20 are kept.
run 0 history first
has "$out" "NUMBER" "finish" "node_complete turn"
is "$(wc -l <<<"$out")" 21
run 0 history first --at-most 3 --json
has "$out" '"kind":"finish"' '"next":["last"]' '"unfinished":false'
head=$(sed 's/.\{0,2\}{"sequence":\([0-9]*\).*/\1/' <<<"$out")
(( head > 300 )) || fail "the head is $head"

# A checkpoint, and what is different between two.
run 0 show first
has "$out" "Checkpoint $head of thread first, its newest" "graph     loop" "rounds    300" "nothing: its run was over"
run 0 show first $(( head - 4 ))
has "$out" "next      turn"
run 0 show first --diff $(( head - 4 ))
has "$out" "key rounds" "-         297" "+         300" "turn: 297 -> 300" "(no value)"
run 0 show first --diff $(( head - 4 )) --json
has "$out" '"rounds":{"before":297,"after":300}'
run 2 show first 1
has "$err" "has no checkpoint 1" "weft history first"
run 2 show frist
has "$err" "there is no thread 'frist' in weft.db (did you mean 'first'?)"

# A new thread out of an earlier checkpoint, with another value.
run 2 fork first $(( head - 4 )) second --set round=1
has "$err" "--set round=1" "did you mean 'rounds'?"
run 0 fork first $(( head - 4 )) second --set rounds=290
has "$out" "weft resume second"
run 0 show second
has "$out" "rounds    290" "idle"
run 0 resume second -q
has "$out" "rounds    300" "words     done"
run 2 fork first $(( head - 4 )) second
has "$err" "there is a thread 'second' already"
run 0 resume first --from $(( head - 4 )) --into third -q
has "$out" "rounds    300" "thread    third"
run 0 show third --diff first@$head
has "$out" "same place with the same values"

# Names keep checkpoints, pruning removes others, forgetting all.
run 0 label first $(( head - 5 )) "before the end"
run 0 prune first --keep-last 2
run 0 history first
has "$out" "before the end" "finish"
is "$(wc -l <<<"$out")" 5   # two, a named one, the one that was forked from, and the title
run 2 prune
has "$err" "--all"
run 0 forget third
run 2 show third
has "$err" "no thread 'third'"

# A changed graph. A thread that stands before a node which is gone cannot go on, unless it was renamed.
run 0 fork first $(( head - 4 )) waiting
make_loop words end >renamed.json
sed -i 's/"turn"/"round"/g' renamed.json
run 1 compat loop.json renamed.json
has "$out" "node 'turn': it is gone" "cannot  waiting" "can     first (finished)" "can     second"
run 1 compat loop.json renamed.json --thread waiting --json
has "$out" '"can_go_on":false' '"kind":"node_removed"'
run 1 resume waiting --graph renamed.json
has "$err" "node 'turn'" "weft compat"
echo '{"nodes": {"turn": "round", "last": "end"}}' >migration.json
run 0 compat loop.json renamed.json --migration migration.json
has "$out" "can     waiting"
run 0 resume waiting --graph renamed.json --migration migration.json -q
has "$out" "rounds    300" "words     done"
run 0 compat loop.json loop.json
has "$out" "the same shape"

# Ctrl-C keeps what is done, and says how to go on.
"$weft" run loop.json --thread stopped --log stopped.jsonl --quiet >out 2>err &
pid=$!
for (( i = 0; i < 100000000; i++ )); do
    [ ! -s stopped.jsonl ] || [ "$(wc -l <stopped.jsonl)" -lt 30 ] || break
    kill -0 "$pid" 2>/dev/null || break
done
kill -INT "$pid"
status=0
wait "$pid" || status=$?
is "$status" 130
has "$(<out)" "status    cancelled" "What was done is kept. To go on:" "weft resume stopped"
run 0 threads
has "$out" "stopped" "cancelled"
run 0 resume stopped -q
has "$out" "rounds    300" "words     done"

# A store that is sealed shows nothing to those who have no key.
if command -v openssl >/dev/null; then
    echo "2026-11 $(openssl rand -hex 32)" >keys
    chmod 600 keys
    make_loop secret last >sealed.json
    sed -i 's/"done"/"a text that nobody reads"/; s/< 300/< 3/' sealed.json
    run 0 run sealed.json --thread s --store sealed.db --keys keys -q
    has "$out" "secret    a text that nobody reads"
    run 0 show s --store sealed.db --keys keys
    has "$out" "a text that nobody reads"
    run 0 threads --store sealed.db
    run 2 show s --store sealed.db
    ! grep -q "nobody reads" sealed.db* || fail "the store is not sealed"
    run 2 show s --store sealed.db --keys nowhere
    has "$err" "nowhere"
fi

# What a person gets wrong.
run 2 run loop.json --thread x --store mysql://me:secret@h/d
[[ $err != *secret* ]] || fail "a password is told: $err"
run 2 run loop.json --thread x --store .
has "$err" "is a folder"
run 2 threads --store nowhere.db
has "$err" "there is no file nowhere.db"
echo "this is no database, but a text that is longer than a header of one would be, and then some more" >text.db
run 2 threads --store text.db
has "$err" "text.db"
run 2 resume first --answer yes --graph loop.json
has "$err" "no question is open"
run 2 run loop.json --thread x --on-busy que
has "$err" "--on-busy"
# HIV-49, PYA-20: a file says where its runs pause; each pause is gone on from, with a value changed, and counted. The
# graph is YAML, and is found by its name.
cat >stops.yaml <<'END'
name: stops
state: [{name: way, type: list, reducer: append}, {name: mark, type: string, initial: a}]
nodes:
  - {name: one, kind: set, settings: {expressions: {way: "'one ' + mark"}}}
  - {name: two, kind: set, pauses: both, settings: {expressions: {way: "'two ' + mark"}}}
  - {name: three, kind: set, pauses: before, settings: {expressions: {way: "'three ' + mark"}}}
edges: [{from: __start__, to: one}, {from: one, to: two}, {from: two, to: three}]
END
run 3 run stops.yaml --thread stops
has "$out" "status    paused" "weft resume stops"
[[ $out != *--graph* ]] || fail "stops.yaml is found by its name: $out"
run 0 show stops
has "$out" "one a"
[[ $out != *"two a"* ]] || fail "it did not pause before the node: $out"
run 3 resume stops
has "$out" "status    paused"
run 0 show stops
has "$out" "two a"
[[ $out != *"three a"* ]] || fail "it did not pause after the node: $out"
run 3 resume stops
has "$out" "status    paused"
run 0 resume stops --input mark=b --json
has "$out" '"way":["one a","two a","three b"]' '"status":"finished"'
run 2 resume stops
echo "kept_run: all is well"
