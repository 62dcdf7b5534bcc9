#!/usr/bin/env bash
# Runs that are kept in PostgreSQL, which several processes share: busy threads, pause and stop from elsewhere, a
# killed program, and no password in any message. Skipped where no server is installed.
. "$(dirname "$0")/../program.sh"
unset WEFT_STORE PGPASSWORD WEFT_LLM_PROVIDER WEFT_LLM_URL WEFT_LLM_API_KEY WEFT_LLM_MODEL OPENAI_API_KEY \
    OPENAI_BASE_URL ANTHROPIC_API_KEY GEMINI_API_KEY GOOGLE_API_KEY
. "$source/async_tests/cli/postgres.sh"

cat >loop.json <<'END_OF_GRAPH'
{
  "name": "loop",
  "state": [{"name": "rounds", "type": "integer", "reducer": "add"},
            {"name": "most", "type": "integer", "initial": 50}],
  "nodes": [{"name": "turn", "kind": "set", "settings": {"values": {"rounds": 1}}}],
  "edges": [{"from": "__start__", "to": "turn"}, {"from": "turn", "to": "turn", "when": "rounds < most"},
            {"from": "turn", "to": "__end__"}],
  "limits": {"steps_max": 0}
}
END_OF_GRAPH
cp "$source/samples/graphs/letter.json" letter.json

# A password is in no message, whatever goes wrong.
if "$weft" threads --store postgresql://weft@127.0.0.1:1/x 2>&1 | grep -q "built without PostgreSQL"; then
    skip "this weft is built without PostgreSQL"
fi
run 1 threads --store "postgresql://weft:topsecret@127.0.0.1:1/postgres"
[[ $err != *topsecret* ]] || fail "the password is told: $err"
has "$err" "127.0.0.1:1"

export WEFT_STORE=postgresql://weft:topsecret@127.0.0.1:$port/postgres
run 2 threads
has "$err" "A first weft run"
run 0 run loop.json --thread first -q
has "$out" "rounds    50" "thread    first, checkpoint" "postgresql://weft:***@127.0.0.1:$port/postgres"
run 0 threads
has "$out" "first" "finished"

# begin <thread> [rounds]: a run that will not end by itself soon; waits until it has made some steps.
begin() {
    "$weft" run loop.json --thread "$1" --input most="${2:-100000000}" --log "$1.jsonl" -q \
        >"$1.out" 2>"$1.err" </dev/null &
    pid=$!
    for (( i = 0; i < 300; i++ )); do
        [ ! -s "$1.jsonl" ] || [ "$(wc -l <"$1.jsonl")" -lt 20 ] || return 0
        sleep 0.1
    done
    fail "the run does not begin: $(<"$1.err")"
}
# ended <status>: how it ended.
ended() {
    local status=0
    wait "$pid" 2>/dev/null || status=$?
    is "$status" "$1"
}

# A run under way elsewhere: rejected, paused, gone on with, stopped.
begin busy
run 0 threads
has "$out" "busy" "running"
run 1 run loop.json --thread busy
has "$err" "is under way" "--on-busy"
run 0 pause busy
has "$out" "Asked its process to pause"
ended 3
run 0 threads
has "$out" "waiting"
run 0 resume busy --input most=1 -q
has "$out" "status    finished"
begin stopped
run 0 stop stopped
has "$out" "Asked its process to stop"
ended 1
has "$(<stopped.out)" "status    cancelled" "weft resume stopped"

# One that takes the place of another.
begin replaced
run 0 run loop.json --thread replaced --on-busy replace --input most=1 -q
ended 1
has "$out" "status    finished"

# A killed program: whoever comes next waits until it is given up, and goes on.
begin killed
kill -KILL "$pid"
ended 137
run 0 resume killed --input most=1 -q
has "$out" "status    finished"

# One that waits for its turn behind a run whose program is killed: it sees to both. The program is held meanwhile, so
# that it does not come to its end, and makes some steps now and then, to show that it lives.
begin queued 3000
kill -STOP "$pid"
"$weft" run loop.json --thread queued --on-busy queue --input most=1 >next.out 2>next.err </dev/null &
next=$!
"$weft" threads >/dev/null
for (( i = 0; i < 60; i++ )); do
    kill -CONT "$pid"
    sleep 0.05
    kill -STOP "$pid"
    ! grep -q "waiting for the end" next.err || break
    sleep 0.3
done
"$weft" threads | grep -q "queued.*running" || fail "the run is not under way: $("$weft" threads)"
kill -KILL "$pid"
ended 137
status=0
wait "$next" || status=$?
is "$status" 0
has "$(<next.out)" "rounds    3001" "status    finished"

# A question that is answered from another process.
run 3 run letter.json --thread roof -q
run 0 answer roof send
run 0 resume roof --answer sign=yes -q
has "$out" "signed    true"
run 0 compat letter.json letter.json --thread roof
run 0 forget roof
echo "kept_postgres: all is well"
