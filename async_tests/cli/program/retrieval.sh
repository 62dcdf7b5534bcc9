#!/usr/bin/env bash
# weft index, then runs that find passages by meaning: the vectors come from the sample scripted_endpoint.
. "$(dirname "$0")/../program.sh"
endpoint_program=${3:-}
[ -n "$endpoint_program" ] || skip "the samples are not built"
unset WEFT_LLM_PROVIDER WEFT_LLM_URL WEFT_LLM_API_KEY WEFT_LLM_MODEL OPENAI_API_KEY OPENAI_BASE_URL \
    ANTHROPIC_API_KEY GEMINI_API_KEY GOOGLE_API_KEY SSL_CERT_FILE \
    WEFT_EMBEDDING_PROVIDER WEFT_EMBEDDING_URL WEFT_EMBEDDING_API_KEY WEFT_EMBEDDING_MODEL

cat >weather.md <<'END'
# Weather

Rain is water that falls from clouds.

## Wind

Wind is air that moves.
END
printf '# Money\n\nInterest is the price of a loan.\n' >money.md
cat >find.json <<'END'
{
  "name": "find",
  "state": [{"name": "question", "type": "string"}, {"name": "found", "type": "string"}],
  "nodes": [{"name": "find", "kind": "retrieve", "writes": ["found"],
             "settings": {"query": "{question}", "items_max": 1}}],
  "edges": [{"from": "__start__", "to": "find"}]
}
END
cat >agent.json <<'END'
{
  "name": "agent",
  "state": [{"name": "answer", "type": "string"}, {"name": "messages", "type": "messages", "reducer": "append"}],
  "nodes": [{"name": "ask", "kind": "react", "writes": ["messages", "answer"],
             "settings": {"prompt": "wind", "tools": ["search_documents"]}}],
  "edges": [{"from": "__start__", "to": "ask"}]
}
END

# Without a model of embeddings both say what is missing; a check needs none.
run 2 index weather.md --store notes.db
has "$err" "no model of embeddings" "WEFT_EMBEDDING_MODEL"
run 0 check find.json agent.json
has "$out" "2 files: no errors, no warnings"
run 1 run find.json -i question=rain
has "$err" "no model of embeddings" "WEFT_EMBEDDING_URL"

. "$source/async_tests/interop/endpoint.sh" "$endpoint_program"
export WEFT_EMBEDDING_URL=$WEFT_LLM_URL WEFT_EMBEDDING_MODEL=words
run 0 index weather.md money.md --store notes.db
is "$out" $'weather.md: 2 passages\nmoney.md: 1 passage'
run 0 run find.json --memory notes.db -i 'question=what is the price of a loan?'
has "$out" "[money.md:3, Money]" "Interest is the price"
lacks "$out" "Rain"

# The agent calls the tool with the only example that the endpoint knows, and hears of passages.
run 0 run agent.json --memory notes.db
has "$out" "The tool said: [" ".md:"

# A document takes the place of what it was; another one is forgotten.
echo 'Snow is frozen water.' >weather.md
run 0 index weather.md --store notes.db
is "$out" "weather.md: 1 passage"
run 0 run find.json --memory notes.db -i 'question=frozen water'
has "$out" "[weather.md:1]" "Snow"
run 0 index --forget money.md weather.md --store notes.db
is "$out" $'money.md: 1 passage forgotten\nweather.md: 1 passage forgotten'
run 0 run find.json --memory notes.db -i question=rain
lacks "$out" ".md"

run 2 index missing.md --store notes.db
has "$err" "missing.md"
WEFT_EMBEDDING_PROVIDER=anthropic run 2 index weather.md --store notes.db
has "$err" "no embeddings"
SSL_CERT_FILE=/dev/null run 1 index weather.md --store notes.db
has "$err" "certificate"
echo "retrieval: all is well"
