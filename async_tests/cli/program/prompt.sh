#!/usr/bin/env bash
# weft explain --prompt: what a node would tell its model; and a file with an agent runs without one.
. "$(dirname "$0")/../program.sh"
unset WEFT_LLM_PROVIDER WEFT_LLM_URL WEFT_LLM_API_KEY WEFT_LLM_MODEL OPENAI_API_KEY OPENAI_BASE_URL \
    ANTHROPIC_API_KEY GEMINI_API_KEY GOOGLE_API_KEY
newsroom=$source/samples/graphs/newsroom.json

run 0 explain "$newsroom" --prompt write
first=$out
has "$out" "What 'write' tells its model first" "identity" "preamble" "focus" "kept" "empty" "of at most" \
    "--- system" "You are a careful reporter." "## Current Focus" "the weather of Oslo" "--- user" "- place: Oslo" \
    "--- tools" "set_output" "delegate_to_sub_agent" "escalate"
run 0 explain "$newsroom" --prompt write
is "$out" "$first"
run 0 explain "$newsroom" --prompt write --input place=Rome
has "$out" "the weather of Rome" "- place: Rome"
run 0 explain "$source/samples/graphs/letter.json" --prompt draft --input topic=rain
has "$out" "What 'draft' tells its model first" "--- user" "rain"

run 2 explain "$newsroom" --prompt wirte
has "$err" "there is no node 'wirte'" "nodes that ask a model: write"
run 2 explain "$newsroom" --prompt "give up"
has "$err" "of the kind set"
run 2 explain "$newsroom" --prompt write --input palce=Rome
has "$err" "no key 'palce'" "did you mean 'place'"
run 2 explain "$newsroom" --input place=Rome
has "$err" "--prompt"

run 0 check --strict "$newsroom"
run 0 run -q "$newsroom"
has "$out" "status    finished" "It rains there, at 7 degrees." "path      write"
run 0 run --json "$newsroom"
has "$out" '"label":"judge_verdict"' '"label":"output_key_set"' "7 degrees"
echo "prompt: all is well"
