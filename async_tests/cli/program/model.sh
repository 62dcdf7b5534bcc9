#!/usr/bin/env bash
# weft run with a model behind real TLS: the sample scripted_endpoint, which repeats what it is asked.
. "$(dirname "$0")/../program.sh"
endpoint_program=${3:-}
[ -n "$endpoint_program" ] || skip "the samples are not built"
unset WEFT_LLM_PROVIDER WEFT_LLM_URL WEFT_LLM_API_KEY WEFT_LLM_MODEL OPENAI_API_KEY OPENAI_BASE_URL \
    ANTHROPIC_API_KEY GEMINI_API_KEY GOOGLE_API_KEY SSL_CERT_FILE
. "$source/async_tests/interop/endpoint.sh" "$endpoint_program"

cat >ask.json <<'END'
{
  "name": "ask",
  "state": [{"name": "topic", "type": "string"}, {"name": "answer", "type": "string"}],
  "nodes": [{"name": "ask", "kind": "llm", "writes": ["answer"], "settings": {"prompt": "Tell of {topic}."}},
            {"name": "left", "kind": "join"}, {"name": "right", "kind": "join"}],
  "edges": [{"from": "__start__", "to": "ask"},
            {"from": "ask", "kind": "llm", "targets": ["left", "right"], "fallback": "right"}]
}
END
run 0 run ask.json --input topic=rain --log run.jsonl
has "$out" "Asking scripted at localhost:" "answer    You said: Tell of rain." "tokens"
has "$(<run.jsonl)" '"kind":"output"' '"label":"usage"' '"kind":"route_'
run 0 trace run.jsonl
has "$out" "ask" "Critical path"

# Nobody vouches for the endpoint now.
SSL_CERT_FILE=/dev/null run 1 run ask.json --input topic=rain
has "$err" "certificate"
echo "model: all is well"
