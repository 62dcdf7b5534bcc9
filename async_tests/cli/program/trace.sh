#!/usr/bin/env bash
# weft trace: logs of runs, whole and cut off, as text and as JSON.
. "$(dirname "$0")/../program.sh"
unset WEFT_LLM_PROVIDER WEFT_LLM_URL WEFT_LLM_API_KEY WEFT_LLM_MODEL OPENAI_API_KEY OPENAI_BASE_URL \
    ANTHROPIC_API_KEY GEMINI_API_KEY GOOGLE_API_KEY

run 0 run -q "$source/samples/graphs/report.json" --log run.jsonl --input topic=rain --stub 'search={"sources": "a"}' \
    --stub 'condense={"summary": "s"}' --stub 'query={"data_summary": "d"}' --stub 'write={"report": "r"}'
run 0 trace run.jsonl
is "$err" ""
has "$out" "report, 20" ": finished, " "  node  " "plan" "look up" "condense" "█" "Edges taken" "web/look up -> condense" \
    "route_fallback" "Critical path" "write"

run 0 trace run.jsonl --format json
has "$out" '"graph":"report"' '"complete":true' '"critical_path":[{' '"share":'

head -n 8 run.jsonl >cut.jsonl
run 0 trace cut.jsonl
has "$out" "the log ends before the run does"
head -n 5 run.jsonl | head -c -9 >cut.jsonl
run 0 trace cut.jsonl
has "$out" "breaks off"

"$weft" run --json "$source/samples/graphs/hello.json" 2>/dev/null | "$weft" trace - >out
has "$(<out)" "hello, 20" "greet"

run 2 trace nowhere.jsonl
is "$err" "weft trace: nowhere.jsonl: No such file or directory"
echo '{"kind":"run_started"' >bad.jsonl
echo '{"kind":"run_started"}' >>bad.jsonl
run 2 trace bad.jsonl
has "$err" "weft trace: bad.jsonl: line 1: column "
run 2 trace "$source/samples/graphs/hello.json"
has "$err" "line 1"
: >empty.jsonl
run 2 trace empty.jsonl
has "$err" "no events" "--log"
run 2 trace .
has "$err" "it is a folder"
echo "trace: all is well"
