#!/usr/bin/env bash
# weft run with graph files whose nodes are agents, against a mock server of models that others maintain, over HTTPS and
# set up through the environment alone; what a person sees if the settings are wrong.
# usage: agents_program.sh <program weft> <source folder> <folder of node_modules>
modules=$(cd "$3" 2>/dev/null && pwd) || modules=$3
. "$(dirname "$0")/../cli/program.sh"
. "$source/async_tests/interop/node_server.sh"
unset WEFT_LLM_PROVIDER WEFT_LLM_URL WEFT_LLM_API_KEY WEFT_LLM_MODEL OPENAI_API_KEY OPENAI_BASE_URL \
    ANTHROPIC_API_KEY GEMINI_API_KEY GOOGLE_API_KEY WEFT_STORE
export AGENTS_API=all
start_node_server "$source/async_tests/interop/agents/mock.mjs" @copilotkit/aimock "$modules"
export WEFT_LLM_URL=$said/v1 WEFT_LLM_MODEL=gpt-x WEFT_LLM_API_KEY=right

mkdir notes
echo "It rains in Rome." >notes/today.txt
cat >turns.json <<'END'
{
  "name": "turns",
  "state": [{"name": "question", "type": "string", "initial": "How is the weather?"},
            {"name": "answer", "type": "string"}],
  "nodes": [{"name": "work", "kind": "turn_agent", "reads": ["question"], "writes": ["answer"],
             "settings": {"system": "You read notes.", "prompt": "{question}", "tools": ["read_file", "list_files"],
                          "budget": {"turns": 4, "time": "1m"}}}],
  "edges": [{"from": "__start__", "to": "work"}]
}
END
cat >chat.json <<'END'
{
  "name": "chat",
  "state": [{"name": "question", "type": "string"}, {"name": "answer", "type": "string"},
            {"name": "talk", "type": "conversation"}],
  "nodes": [{"name": "chat", "kind": "agent", "writes": ["answer", "talk"],
             "settings": {"base": "You keep a library.", "prompt": "{question}", "tools": ["list_files"],
                          "talk": "talk"}}],
  "edges": [{"from": "__start__", "to": "chat"}]
}
END
cat >desk.json <<'END'
{
  "name": "desk",
  "state": [{"name": "question", "type": "string", "initial": "Read today.txt."}, {"name": "answer", "type": "string"},
            {"name": "messages", "type": "messages", "reducer": "append"}],
  "nodes": [
    {"name": "desk", "kind": "react", "writes": ["messages", "answer"],
     "settings": {"system": "You are the desk.", "prompt": "{question}",
                  "hands_over": [{"to": "shelf", "when": "The user asks for a file."}]}},
    {"name": "shelf", "kind": "react", "writes": ["messages", "answer"],
     "settings": {"system": "You are the shelf.", "tools": ["read_file"], "turns_max": 5}}
  ],
  "edges": [{"from": "__start__", "to": "desk"}]
}
END

cat >slow.json <<'END'
{
  "name": "slow",
  "state": [{"name": "answer", "type": "string"}, {"name": "messages", "type": "messages", "reducer": "append"}],
  "nodes": [{"name": "speak", "kind": "react", "writes": ["messages", "answer"],
             "settings": {"system": "You are slow.", "prompt": "Speak."}}],
  "edges": [{"from": "__start__", "to": "speak"}]
}
END

# front <path>: what the front of the server says about what passed it.
front() {
    node -e 'require("https").get(process.argv[1], { ca: require("fs").readFileSync(process.argv[2]) }, (got) =>
        got.pipe(process.stdout))' "$said/__front/$1" "$SSL_CERT_FILE"
}

# Ctrl-C in the middle of a stream reaches the socket, and a run that is kept goes on.
"$weft" run slow.json --thread slow --quiet >out 2>err &
pid=$!
is "$(front 'came?count=1')" 1
kill -INT "$pid"
status=0
wait "$pid" || status=$?
is "$status" 130
has "$(<out)" "status    cancelled"
is "$(front 'left?count=1')" 1
run 0 resume slow
has "$out" "answer    I am there at last."

# The good settings: OpenAI's API by WEFT_LLM_…, and by the variables of OpenAI's own programs; other APIs.
run 0 check turns.json chat.json desk.json "$source/samples/graphs/newsroom.json" --tools read_file,list_files
run 0 run turns.json --allow files=notes
has "$out" "Asking gpt-x at localhost:" "work/llmCall, visit 2" "answer    As the note says 😀: rain." "tokens"
run 0 run "$source/samples/graphs/newsroom.json" --input place=Bergen --json
has "$out" '"report":"It rains in Bergen, at 7 degrees."' '"sources":["the archive"]' '"label":"output_key_set"' \
    '\"by\":\"model\"' '"path":["write"]'
run 0 run desk.json --allow files=notes
has "$out" "answer    It rains in Rome." "path      desk -> shelf" "The conversation is with shelf now."
run 0 run chat.json --allow files=notes --thread t --input "question=What is there?"
has "$out" "answer    There is today.txt." "thread    t"
run 0 run chat.json --allow files=notes --thread t --input "question=How many?"
has "$out" "answer    One file."

WEFT_LLM_PROVIDER=anthropic WEFT_LLM_MODEL=claude-x run 0 run turns.json --allow files=notes
has "$out" "Asking claude-x at localhost:" "answer    As the note says 😀: rain."
WEFT_LLM_PROVIDER=anthropic WEFT_LLM_MODEL=claude-x run 0 run desk.json --allow files=notes
has "$out" "answer    It rains in Rome."
WEFT_LLM_PROVIDER=openai_responses run 0 run turns.json --allow files=notes
has "$out" "answer    As the note says 😀: rain."
WEFT_LLM_PROVIDER=gemini WEFT_LLM_URL=$said/v1beta run 0 run turns.json --allow files=notes
has "$out" "answer    As the note says 😀: rain."
WEFT_LLM_PROVIDER=ollama WEFT_LLM_URL=$said run 0 run turns.json --allow files=notes
has "$out" "answer    As the note says 😀: rain."
WEFT_LLM_URL='' WEFT_LLM_API_KEY='' OPENAI_BASE_URL=$said/v1 OPENAI_API_KEY=right \
    run 0 run turns.json --allow files=notes
has "$out" "answer    As the note says 😀: rain."

# What the program sent: its key, and the tools that the file names and the user allowed.
wire=$(front requests)
has "$wire" '"authorization":"Bearer right"' '"x-api-key":"right"' '"name":"read_file"' '"input_schema"'

# wrong <part of a message>…: what is said of the four kinds of agents; the key is never in it.
wrong() {
    run 1 run desk.json --allow files=notes
    has "$err" "$@"
    run 1 run turns.json --allow files=notes
    has "$err" "the agent has no answer" "$@"
    run 1 run chat.json --allow files=notes --input "question=What is there?"
    has "$err" "the agent ended as 'agent_error'" "$@"
    [[ $out$err != *sk-SECRET* ]] || fail "the key is told: $out$err"
}
export WEFT_LLM_API_KEY=sk-SECRET
wrong "status 401" "Check WEFT_LLM_API_KEY, or the provider's own key."
sed '/"give up"/d; s/"to": "write"},/"to": "write"}/; s/^    },$/    }/' "$source/samples/graphs/newsroom.json" \
    >news.json
run 1 run news.json
has "$err" "event loop" "status 401" "Check WEFT_LLM_API_KEY"
run 0 run "$source/samples/graphs/newsroom.json"
has "$out" "status 401" "trouble   nobody could write it" "status    finished, degraded" "path      write -> give up"
export WEFT_LLM_API_KEY=
wrong "status 401" "Check WEFT_LLM_API_KEY"
export WEFT_LLM_API_KEY=right

WEFT_LLM_URL=$said/v1/wrong wrong "status 404" "Check WEFT_LLM_MODEL, and that WEFT_LLM_URL ends before"
WEFT_LLM_URL=https://localhost:1/v1 wrong "Connection refused" "Check WEFT_LLM_URL, and that the endpoint is up."
WEFT_LLM_URL=http${said#https}/v1 wrong "Check WEFT_LLM_URL: an endpoint that speaks TLS wants https://"
WEFT_LLM_URL=https://127.0.0.1:${said##*:}/v1 wrong "names another host" "use the name that the certificate is for"
SSL_CERT_FILE=/dev/null wrong "no trusted root certificates" "SSL_CERT_FILE"

# Nobody vouches for the endpoint but an authority that it is not of.
mkdir stranger
make_certificate stranger
SSL_CERT_FILE=$PWD/stranger/certificate.pem wrong "not trusted" "name it: SSL_CERT_FILE=authority.pem"

# Settings that cannot be meant are told before anything runs.
WEFT_LLM_URL=$said/v1/chat/completions run 2 run desk.json --allow files=notes
has "$err" "WEFT_LLM_URL" "leave out /chat/completions"
WEFT_LLM_MODEL='' run 2 run desk.json --allow files=notes
has "$err" "WEFT_LLM_MODEL" "set it to the model to ask"
WEFT_LLM_PROVIDER=antropic run 2 run desk.json --allow files=notes
has "$err" "did you mean 'anthropic'?"
run 2 run turns.json
has "$err" "the tool 'read_file' is not allowed: add --allow files=FOLDER"
echo "agents_program: all is well"
