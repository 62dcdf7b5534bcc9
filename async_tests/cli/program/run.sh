#!/usr/bin/env bash
# weft run: inputs, stubs, streams, logs, exit statuses, Ctrl-C.
. "$(dirname "$0")/../program.sh"
unset WEFT_LLM_PROVIDER WEFT_LLM_URL WEFT_LLM_API_KEY WEFT_LLM_MODEL OPENAI_API_KEY OPENAI_BASE_URL \
    ANTHROPIC_API_KEY GEMINI_API_KEY GOOGLE_API_KEY
graphs=$source/samples/graphs

run 0 run "$graphs/hello.json" --input who=Ada
is "$err" ""
has "$out" "No model is configured: replies are scripted" "greet" "started" "done after" "text      Hello, Ada!" \
    "status    finished" "path      greet"
[[ $out != *$'\e'* ]] || fail "there are colours in a pipe"

run 0 run --quiet --input who=Ada "$graphs/hello.json"
has "$out" "Hello, Ada!"
run 0 run --quiet "$graphs/hello.json"
has "$out" "Hello, world!"
[[ $out != *started* ]] || fail "it is not quiet: $out"

echo '{"who": "from a file"}' >in.json
run 0 run -q "$graphs/hello.json" --input @in.json
has "$out" "Hello, from a file!"
run 0 run -q "$graphs/hello.json" -i @in.json -i who=later
has "$out" "Hello, later!"

# W6: a number that JSON cannot say fails the node that writes it, and no line has it.
for type in any list number; do
    value='[1e308 * 10]'
    [ $type != number ] || value='1e308 * 10'
    cat >infinite.json <<END
{"name": "infinite", "state": [{"name": "z", "type": "$type"}],
 "nodes": [{"name": "n", "kind": "set", "settings": {"expressions": {"z": "$value"}}}],
 "edges": [{"from": "__start__", "to": "n"}]}
END
    run 1 run --json --log infinite.jsonl infinite.json
    has "$out" '"status":"failed"' '"state":{}' '"code":"state_conversion","node":"n"' "key 'z'"
    for text in "$out" "$(<infinite.jsonl)"; do
        [[ ! $text =~ :\ *-?(Infinity|NaN|1e99999) ]] || fail "this is no JSON: $text"
    done
done
sed 's/"expressions": {"z": [^}]*}/"values": {"z": 1e999}/' infinite.json >large.json
run 2 run large.json
has "$err" "large.json:2:70: error: \$.nodes[0].settings.values.z: the number is too large" "has 1 mistake:"

# Lines of JSON and nothing else on standard output; the last one is the result, and the log has the same.
run 0 run --json --log run.jsonl "$graphs/hello.json"
has "$err" "replies are scripted"
while IFS= read -r line; do
    [[ $line == '{"'*'}' ]] || fail "no line of JSON: $line"
done <<<"$out"
has "$(head -n 1 <<<"$out")" '{"kind":"run","format":1,"graph":"hello","at":"20'
has "$(tail -n 1 <<<"$out")" '{"kind":"result","status":"finished","quality":"clean"' '"text":"Hello, world!"' \
    '"path":["greet"]'
has "$out" '"kind":"run_finished"'
is "$(<run.jsonl)" "$out"

# What a person gets wrong.
run 2 run "$graphs/hello.json" --input whom=Ada
is "$err" "weft run: --input whom=Ada: the graph has no key 'whom' (did you mean 'who'?); known: who, text"
run 2 run nowhere.json
is "$err" "weft run: cannot read nowhere.json: No such file or directory"
run 2 run "$graphs/triage.json"
has "$err" "needs functions of a C++ program: 'answer', 'classify'" "--stub 'answer="
run 2 run "$graphs/hello.json" --timeout soon
has "$err" "--timeout soon" "90s"
run 2 run "$graphs/hello.json" --answer gret=yes
has "$err" "no node 'gret' (did you mean 'greet'?)"
run 2 run "$graphs/hello.json" --answer greet=yes
has "$err" "of the kind 'set', and only nodes of the kind 'human' ask"
run 2 run "$graphs/hello.json" --log /nowhere/run.jsonl
has "$err" "--log /nowhere/run.jsonl"
WEFT_LLM_URL=nonsense WEFT_LLM_MODEL=m run 2 run "$graphs/hello.json"
has "$err" "WEFT_LLM_URL"

# Stubs stand for functions.
classify='classify={"category": "billing", "urgency": 2}'
run 2 run "$graphs/triage.json" --stub "$classify" --stub 'answer={}' --input urgency=high
has "$err" "--input urgency=high: the key 'urgency' is an integer"
run 0 run -q "$graphs/triage.json" --stub "$classify" --stub 'answer={"answer": "Paid."}' --input request=bill
has "$out" "answer    Paid." "path      classify -> route -> billing" "goal      met"
run 0 run -q "$graphs/triage.json" --stub "$classify" --stub 'answer={"answer": ""}' --input request=bill
has "$out" "goal      not met"
run 1 run -q --require-goal "$graphs/triage.json" --stub "$classify" --stub 'answer={"answer": ""}' -i request=bill
has "$err" "--require-goal"

cat >loop.json <<'END'
{
  "name": "loop",
  "state": [{"name": "rounds", "type": "integer", "reducer": "add"}],
  "nodes": [{"name": "turn", "kind": "set", "settings": {"values": {"rounds": 1}}}],
  "edges": [{"from": "__start__", "to": "turn"}, {"from": "turn", "to": "turn"}]
}
END
run 1 run -q loop.json --steps-max 50
has "$out" "status    failed" "50 steps" "more …"
has "$err" "raise --steps-max"
run 1 run -q loop.json --steps-max 0 --timeout 50ms
has "$err" "raise --timeout"

# Ctrl-C.
"$weft" run loop.json --steps-max 0 --log loop.jsonl --quiet >out 2>err &
pid=$!
for (( i = 0; i < 100000000; i++ )); do [ ! -s loop.jsonl ] || break; done
kill -INT "$pid"
status=0
wait "$pid" || status=$?
is "$status" 130
has "$(<out)" "status    cancelled"
has "$(tail -n 1 loop.jsonl)" '"status":"cancelled"'

# On a terminal lines are drawn over.
if command -v script >/dev/null; then
    seen=$(TERM=xterm script -qec "'$weft' run '$graphs/hello.json' --input who=Ada" /dev/null </dev/null)
    has "$seen" "Hello, Ada!" $'\e[?25l' $'\e[?25h' $'\e[J' "greet"
fi
echo "run: all is well"
