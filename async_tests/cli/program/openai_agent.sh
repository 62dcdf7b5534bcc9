#!/usr/bin/env bash
# Nodes of the kind openai_agent with a server of weft as the agent: streamed, with a question across, cancelled, killed.
. "$(dirname "$0")/../program.sh"
. "$source/async_tests/interop/server.sh"
unset WEFT_STORE
command -v curl >/dev/null || skip "curl is not installed"
processes=
trap '[ -z "$processes" ] || kill $processes 2>/dev/null; rm -rf "$work"' EXIT

# The agents of the other server: one answers, one takes long, one asks a person.
cat >quick.json <<'END'
{"name": "quick",
 "state": [{"name": "question", "type": "string"}, {"name": "answer", "type": "string"}],
 "nodes": [{"name": "say", "kind": "set", "reads": ["question"], "writes": ["answer"],
            "settings": {"expressions": {"answer": "'heard ' + question"}}}],
 "edges": [{"from": "__start__", "to": "say"}]}
END
cat >slow.json <<'END'
{"name": "slow",
 "state": [{"name": "question", "type": "string"}, {"name": "answer", "type": "string"}],
 "nodes": [{"name": "rest", "kind": "wait", "settings": {"span": "4s"}},
           {"name": "say", "kind": "set", "reads": ["question"], "writes": ["answer"],
            "settings": {"expressions": {"answer": "'slowly heard ' + question"}}}],
 "edges": [{"from": "__start__", "to": "rest"}, {"from": "rest", "to": "say"}]}
END
cat >asks.json <<'END'
{"name": "asks",
 "state": [{"name": "question", "type": "string"}, {"name": "choice", "type": "string"},
           {"name": "answer", "type": "string"}],
 "nodes": [{"name": "which", "kind": "human", "reads": ["question"], "writes": ["choice"],
            "settings": {"question": "Which one for {question}?", "options": ["old", "young"]}},
           {"name": "say", "kind": "set", "reads": ["choice"], "writes": ["answer"],
            "settings": {"expressions": {"answer": "'the ' + choice + ' one'"}}}],
 "edges": [{"from": "__start__", "to": "which"}, {"from": "which", "to": "say"}]}
END
start_other() {
    "$weft" serve quick.json slow.json asks.json --listen "127.0.0.1:$1" --store other.db >other.log 2>&1 &
}
start_on_some_port start_other || fail "weft serve does not start: $(cat other.log)"
other=http://127.0.0.1:$port processes=$server

# asking <agent> <further settings>: a graph file with one node.
asking() {
    cat >"$1_asker.json" <<END
{"name": "asker",
 "state": [{"name": "question", "type": "string", "initial": "rain"}, {"name": "answer", "type": "string"},
           {"name": "talk", "type": "string"}],
 "nodes": [{"name": "ask", "kind": "openai_agent", "reads": ["question", "talk"], "writes": ["answer", "talk"],
            "settings": {"url": "$other/v1", "model": "$1", "message": "{question}", "conversation": "talk" $2}}],
 "edges": [{"from": "__start__", "to": "ask"}]}
END
}
# runs_of <agent>: how many runs the other server has begun of it.
runs_of() {
    curl -sS "$other/threads/search" -H 'content-type: application/json' -d '{"limit": 100}' |
        { grep -o "\"graph_id\":\"$1\"" || true; } | wc -l
}

asking quick ""
run 0 check --strict quick_asker.json
run 1 run quick_asker.json -q
has "$err" "the host is not on the public internet" "--allow http=127.0.0.1"
run 0 run quick_asker.json --allow http=127.0.0.1 --json
has "$out" '"label":"output","text":"heard rain"' '"answer":"heard rain"' '"talk":"resp_'
asking quick ', "api": "chat", "into": "answer"'
sed -i 's/, "conversation": "talk"//' quick_asker.json
run 0 run quick_asker.json --allow http=127.0.0.1 -q
has "$out" "heard rain"

# What the agent asks, the run asks; the answer goes back in another life of the program, and for one in the background.
for background in false true; do
    rm -f weft.db*
    asking asks ", \"background\": $background"
    run 3 run asks_asker.json --allow http=127.0.0.1 --thread t -q
    run 0 answer t
    has "$out" "Which one for rain?" "old" "young"
    run 0 answer t young
    run 0 resume t --graph asks_asker.json --allow http=127.0.0.1 -q
    has "$out" "the young one"
done

# A process that is killed while a response is under way: the next one follows it, and orders no second one.
rm -f weft.db*
asking slow ', "background": true'
before=$(runs_of slow)
"$weft" run slow_asker.json --allow http=127.0.0.1 --thread k -q >killed.out 2>&1 &
victim=$!
for _ in $(seq 100); do
    if [ "$(runs_of slow)" -gt "$before" ]; then break; fi
    sleep 0.1
done
sleep 0.5
kill -9 "$victim"
wait "$victim" 2>/dev/null || true
run 0 resume k --graph slow_asker.json --allow http=127.0.0.1 -q
has "$out" "slowly heard rain"
is "$(runs_of slow)" "$((before + 1))"

# A run that is stopped cancels what it has ordered.
"$weft" run slow_asker.json --allow http=127.0.0.1 --thread c -q >stopped.out 2>&1 &
stopped=$!
for _ in $(seq 100); do
    if [ "$(runs_of slow)" -gt "$((before + 1))" ]; then break; fi
    sleep 0.1
done
sleep 0.5
kill -INT "$stopped"
wait "$stopped" || true
cancelled=$(curl -sS "$other/threads/search" -H 'content-type: application/json' -d '{"limit": 1}' |
    grep -o '"thread_id":"[^"]*"' | head -1 | cut -d'"' -f4)
has "$(curl -sS "$other/threads/$cancelled/runs")" '"status":"interrupted"'
echo "openai_agent: all is well"
