#!/usr/bin/env bash
# The sample any_language: a node in Python with FastAPI and one in JavaScript with Express, called by weft run.
# usage: any_language.sh <program weft> <source folder> <folder with a Python environment and node_modules>
foreign=$(cd "$3" 2>/dev/null && pwd) || foreign=$3
. "$(dirname "$0")/../cli/program.sh"
. "$source/async_tests/interop/server.sh"
unset WEFT_LLM_PROVIDER WEFT_LLM_URL WEFT_LLM_API_KEY WEFT_LLM_MODEL OPENAI_API_KEY OPENAI_BASE_URL \
    ANTHROPIC_API_KEY GEMINI_API_KEY GOOGLE_API_KEY WEFT_STORE
need_node
python=$foreign/python/bin/python
[ -x "$python" ] && "$python" -c 'import fastapi, uvicorn' 2>/dev/null ||
    skip "Python has no packages fastapi and uvicorn; scripts/install-deps --tools installs them"
[ -d "$foreign/node_modules/express" ] ||
    skip "there is no package express; scripts/install-deps --tools installs it"
processes=
trap '[ -z "$processes" ] || kill $processes 2>/dev/null; rm -rf "$work"' EXIT

cp "$source"/samples/any_language/* .
ln -s "$foreign/node_modules" node_modules
start_rate() { "$python" -m uvicorn rate:service --port "$1" --log-level warning >rate.log 2>&1 & }
start_title() { node title.mjs "$1" >title.log 2>&1 & }
start_on_some_port start_rate || fail "the service in Python does not start: $(cat rate.log)"
rate=$port processes=$server
start_on_some_port start_title || fail "the service in JavaScript does not start: $(cat title.log)"
title=$port processes="$processes $server"
sed -i "s/localhost:8001/127.0.0.1:$rate/; s/localhost:8002/127.0.0.1:$title/" any_language.json

run 0 check --strict any_language.json
# The services have private addresses: the person who runs the file says that they are theirs.
run 1 run any_language.json
has "$err" "the host is not on the public internet" "--allow http=127.0.0.1"
run 2 run any_language.json --allow http=127.0.0.1/rate
has "$err" "--allow http=…" "'127.0.0.1/rate'"

run 0 run any_language.json --allow "http=127.0.0.1" --json
has "$out" '"words":13' '"headline":"The museum opens its new hall on Friday"' '"label":"output"' '"text":"museum "'
run 0 run any_language.json --allow "http=127.0.0.1:$rate,http=127.0.0.1:$title" -q \
    --input text='Notwithstanding comprehensive administrative considerations, misunderstandings persist.'
has "$out" "headline  Long read: Notwithstanding comprehensive"

# Kept: what a service has answered is not asked for again, and its key is that of the visit.
run 0 run any_language.json --allow http=127.0.0.1 --thread t -q
has "$out" "headline  The museum"

# What a service refuses is told with its words, and not tried again.
sed 's#/rate"#/rates"#' any_language.json >wrong.json
run 1 run wrong.json --allow http=127.0.0.1 -q
has "$err" "the service refuses the request: status 404: Not Found"
sed 's/"reads": \["text"\]/"reads": []/' any_language.json >empty.json
run 1 run empty.json --allow http=127.0.0.1 -q
has "$err" "status 422"
