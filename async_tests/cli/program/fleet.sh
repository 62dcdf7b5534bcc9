#!/usr/bin/env bash
# weft serve --workers 0 and weft worker: processes that share the runs of a database, as people start and end them.
. "$(dirname "$0")/../program.sh"
command -v curl >/dev/null || skip "curl is not installed"
unset WEFT_STORE PGPASSWORD WEFT_LLM_PROVIDER WEFT_LLM_URL WEFT_LLM_API_KEY WEFT_LLM_MODEL OPENAI_API_KEY \
    OPENAI_BASE_URL ANTHROPIC_API_KEY GEMINI_API_KEY GOOGLE_API_KEY

# What one process cannot do is refused with what to do.
mkdir graphs
cat >graphs/loop.json <<'END'
{
  "name": "loop",
  "state": [{"name": "rounds", "type": "integer", "reducer": "add"},
            {"name": "most", "type": "integer", "initial": 3}],
  "nodes": [{"name": "turn", "kind": "set", "settings": {"values": {"rounds": 1}}}],
  "edges": [{"from": "__start__", "to": "turn"}, {"from": "turn", "to": "turn", "when": "rounds < most"},
            {"from": "turn", "to": "__end__"}],
  "limits": {"steps_max": 0}
}
END
run 2 worker graphs
has "$err" "weft.db" "weft serve" "--store postgresql://"
run 2 serve graphs --workers 0
has "$err" "--workers 0" "--store postgresql://"
run 2 worker graphs --store postgresql://weft@127.0.0.1:1/x --drain soon
has "$err" "--drain soon" "30s"
run 2 worker graphs --requests-per-minute -3
has "$err" "--requests-per-minute" "'-3' is no limit; give a number above 0"
run 2 worker graphs --concurrency 0
has "$err" "--concurrency"

. "$source/async_tests/cli/postgres.sh"
if "$weft" threads --store postgresql://weft@127.0.0.1:1/x 2>&1 | grep -q "built without PostgreSQL"; then
    skip "this weft is built without PostgreSQL"
fi
export WEFT_STORE=postgresql://weft@127.0.0.1:$port/postgres

processes=()
trap 'kill -CONT "${processes[@]}" 2>/dev/null; kill -KILL "${processes[@]}" 2>/dev/null
      kill -QUIT "$server" 2>/dev/null; wait "$server" 2>/dev/null; rm -rf "$work"' EXIT
# until_true <what> <command>…
until_true() {
    local what=$1
    shift
    for (( i = 0; i < 400; i++ )); do
        ! "$@" || return 0
        sleep 0.1
    done
    fail "it never came: $what; $(tail -n 5 ./*.log)"
}
# worker <name>: its process is in $pid.
worker() {
    "$weft" worker graphs --name "$1" --health 127.0.0.1:0 >"$1.out" 2>"$1.log" </dev/null &
    pid=$!
    processes+=("$pid")
    until_true "$1 is ready" ready "$1"
}
ready() {
    local where
    where=$(sed -n 's/^weft worker: \(http.*\)$/\1/p' "$1.log")
    [ -n "$where" ] && [ "$(curl -s -o /dev/null -w '%{http_code}' "$where")" = 200 ]
}
ask() {
    local path=$1
    shift
    curl -s --unix-socket serve.sock "http://localhost$path" -H 'content-type: application/json' "$@"
}
status() { ask "/threads/$1/runs" | grep -o '"status":"[a-z]*"' | head -n 1; }
is_status() { [ "$(status "$1")" = "\"status\":\"$2\"" ]; }
begin() {
    ask "/threads/$1/runs" -o /dev/null \
        -d "{\"assistant_id\": \"loop\", \"if_not_exists\": \"create\", \"input\": {\"most\": $2}}"
}

"$weft" serve graphs --workers 0 --listen unix:serve.sock 2>serve.log </dev/null &
processes+=($!)
until_true "the server listens" test -S serve.sock

# Nothing performs what a server without places accepts, until a worker comes.
begin first 3
sleep 0.5
is_status first pending || fail "the run is not in line: $(ask /threads/first/runs)"
run 1 queue
has "$out" "No worker has these graphs" "loop"
run 0 workers
has "$out" "none"
worker one
one=$pid
until_true "the run is performed" is_status first success
is "$(ask /threads/first/state | grep -o '"rounds":3')" '"rounds":3'
has "$(ask /runs/wait -d '{"assistant_id": "loop", "input": {"most": 5}}')" '"rounds":5'
has "$(<one.log)" "one takes runs of loop" "100 at once"

# A worker that is told to end gives its runs to another one.
begin long 100000000
until_true "the run is under way" is_status long running
worker two
two=$pid
kill -TERM "$one"
ended=0
wait "$one" || ended=$?
is "$ended" 0
has "$(<one.log)" "go on in other processes"
is_status long running || until_true "the run goes on" is_status long running

# One that stands still for longer than its lifetime loses its run, and is a worker again when it goes on.
kill -STOP "$two"
worker three
three=$pid
sleep 7
kill -CONT "$two"
until_true "two is ready again" ready two
is_status long running || until_true "the run goes on" is_status long running

# One that is killed loses nothing.
kill -KILL "$three"
wait "$three" 2>/dev/null || true
sleep 7
is_status long running || until_true "the run goes on" is_status long running
run_id=$(ask /threads/long/runs | grep -o '"run_id":"[^"]*"' | head -n 1 | cut -d'"' -f4)
ask "/threads/long/runs/$run_id/cancel?wait=1" -X POST -d '{}' >/dev/null
until_true "the run is cancelled from elsewhere" is_status long interrupted

# A graph file that comes is taken up.
sed 's/"name": "loop"/"name": "later"/' graphs/loop.json >later.new
mv later.new graphs/later.json
until_true "the new graph is loaded" grep -q "later is new" two.log
until_true "the server has it" grep -q "later is new" serve.log
has "$(ask /runs/wait -d '{"assistant_id": "later", "input": {"most": 2}}')" '"rounds":2'

# Who works, and what there is to do.
run 0 workers
has "$out" "two" "alive"
run 0 queue
has "$out" "nothing is under way"
run 0 queue --json
has "$out" '"depths":[]' '"unclaimable":[]'
run 0 dead
is "$out" "No dead runs."
run 2 dead 0196f0e2-7c1b-7d3a-9b1e-3f2a5c7d9e11
has "$err" "weft dead lists them"

# Crons are looked at and changed beside the servers.
cron=$(ask /runs/crons -d '{"assistant_id": "loop", "schedule": "0 0 1 1 *", "timezone": "Europe/Berlin",
                         "on_run_completed": "keep"}' |
    grep -o '"cron_id":"[^"]*"' | cut -d'"' -f4)
run 0 cron
has "$out" "$cron" "loop" "0 0 1 1 *" "Europe/Berlin"
run 0 cron "$cron"
has "$out" "-12-31T23:00:00"
run 0 cron --pause "$cron"
run 0 cron
has "$out" "paused"
run 2 cron --run "$cron"
has "$err" "--resume"
run 0 cron --resume "$cron"
has "$out" "-12-31T23:00:00"
threads() { ask /threads/search -d '{}' | grep -o '"thread_id"' | wc -l; }
before=$(threads)
run 0 cron --run "$cron"
has_one_more() { [ "$(threads)" = $((before + 1)) ]; }
until_true "its run is begun" has_one_more
run 0 cron "$cron"
has "$out" "-12-31T23:00:00"
run 0 cron --delete "$cron"
run 2 cron --delete "$cron"
has "$err" "weft cron lists them"
echo "fleet: all is well"
