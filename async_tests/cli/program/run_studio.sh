#!/usr/bin/env bash
# weft run --studio: one run with its page, on a port of this machine, until Ctrl-C.
. "$(dirname "$0")/../program.sh"
command -v curl >/dev/null || skip "curl is not installed"
unset WEFT_LLM_PROVIDER WEFT_LLM_URL WEFT_LLM_API_KEY WEFT_LLM_MODEL OPENAI_API_KEY OPENAI_BASE_URL \
    ANTHROPIC_API_KEY GEMINI_API_KEY GOOGLE_API_KEY WEFT_STORE WEFT_STORE_KEYS
cp "$source/samples/graphs/letter.json" letter.json

run 2 run letter.json --studio --json
has "$err" "--json: it does not go with --studio" "leave one of them out"
run 2 run letter.json --studio --thread roof
has "$err" "--thread: it does not go with --studio"
run 2 run letter.json --studio --input "who=Ada"
has "$err" "who"
lacks "$err" "the studio is at"

# begin <argument>…: a run with its page in the background, which asks.
begin() {
    : >run.log  # not what the program before has said
    "$weft" run letter.json --studio "$@" >out.log 2>run.log &
    server=$!
    trap 'kill -KILL "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
    waits_for "waits for an answer"
    url=$(sed -n 's/.*the studio is at \([^ ]*\) .*/\1/p' run.log)
    id=${url##*/}
    base=${url%%/studio/*}
}
# waits_for <text>: until the program has said it.
waits_for() {
    for _ in $(seq 200); do grep -qF "$1" run.log && return || sleep 0.05; done
    fail "no '$1' in: $(<run.log)"
}
# ends <exit status>: with Ctrl-C.
ends() {
    local status=0
    kill -INT "$server"
    wait "$server" || status=$?
    [ "$status" = "$1" ] || fail "it ended with $status instead of $1; it said: $(<run.log)"
}

begin
has "$(curl -s "$base/studio/")" '<script type="module" src="app.mjs">'
has "$(curl -s "$base/studio/api/runs/$id")" '"phase":"waiting"' '"graph":"letter"'
has "$(<run.log)" "kept in memory"
thread=$(curl -s "$base/studio/api/runs/$id" | sed 's/.*"thread_id":"\([^"]*\)".*/\1/')
# Its file stands beside its drawing; another text is checked, and what the run that waits could do with it.
has "$(curl -s "$base/studio/api/graphs/letter/file")" '"file":"letter.json"' 'Write a letter to the landlord' \
    '"findings":['
# check <text, as it stands between quotation marks in JSON>
check() {
    curl -s "$base/studio/api/graphs/letter/check" -H 'content-type: application/json' -d '{"text": "'"$1"'"}'
}
has "$(check '{\"name\": \"letter\",\n \"nodes\": [{\"name\": \"a\", \"kind\": \"lmm\"}]}')" '"line":2' "llm"
other='{\"name\": \"letter\", \"nodes\": [{\"name\": \"a\", \"kind\": \"join\"}],'
has "$(check "$other"' \"edges\": [{\"from\": \"__start__\", \"to\": \"a\"}]}')" '"stuck":1' "node 'a'"
for said in '"send"' true; do
    curl -s "$base/threads/$thread/runs/wait" -H 'content-type: application/json' \
        -d '{"assistant_id": "letter", "command": {"resume": '"$said"'}}' >/dev/null
done
waits_for "the run is finished; the page stays until Ctrl-C"
has "$(curl -s "$base/studio/api/runs/$id")" '"phase":"finished"'
ends 0
is "$(<out.log)" ""
[ ! -e weft.db ] || fail "a file was made that nothing asked for"

"$weft" run letter.json --thread probe --store probe.db 2>&1 </dev/null | grep -q "built without SQLite" && exit 0
# In a store the run is there afterwards, as it stood.
begin --store runs.db
ends 3
run 0 threads --store runs.db
has "$out" "waiting: asks 1 question"
