#!/usr/bin/env bash
# Questions of a run that is kept: it waits for answers from other processes, or asks at the terminal; Ctrl-C keeps it.
. "$(dirname "$0")/../program.sh"
unset WEFT_LLM_PROVIDER WEFT_LLM_URL WEFT_LLM_API_KEY WEFT_LLM_MODEL OPENAI_API_KEY OPENAI_BASE_URL \
    ANTHROPIC_API_KEY GEMINI_API_KEY GOOGLE_API_KEY
cp "$source/samples/graphs/letter.json" letter.json
export WEFT_STORE=letters.db
if "$weft" run letter.json --thread probe 2>&1 </dev/null | grep -q "built without SQLite"; then
    skip "this weft is built without SQLite"
fi
rm -f letters.db*

# Nobody is at a terminal: the run waits, and says how to answer.
run 3 run letter.json --thread roof
has "$out" "status    paused" "It waits for answers:" "review#1/ask#0" "  1  send" \
    "weft resume roof --answer 'review#1/ask#0=send'" "weft answer roof 'review#1/ask#0=send'"
run 0 threads
has "$out" "waiting: asks 1 question"
run 0 show roof
has "$out" "Open questions" "review#1/ask#0" "What shall happen?"
run 0 answer roof
has "$out" "review#1/ask#0" "To answer:"
run 3 resume roof
has "$out" "review#1/ask#0"

# Wrong answers change nothing.
run 2 answer roof 'reviw#1/ask#0=send'
has "$err" "did you mean 'review#1/ask#0'?"
run 2 answer roof 'review=perhaps'
has "$err" "does not fit"
run 2 answer rof send
has "$err" "did you mean 'roof'?"

# One question needs no address; it is answered once.
run 0 answer roof send
has "$out" "1 question answered, no questions open" "weft resume roof"
run 2 answer roof send
has "$err" "no question is open"
run 0 threads
has "$out" "ready: all questions are answered"
run 3 resume roof
has "$out" "sign#1/ask#0" "verdict   send"
run 0 resume roof --answer sign=yes
has "$out" "signed    true" "path      draft -> judge -> review -> sign" "status    finished"

# Also to a node that asks only later.
run 3 run letter.json --thread later -q
run 0 resume later --answer send --answer sign=no -q
has "$out" "signed    false"
run 3 run letter.json --thread slip -q
run 2 resume slip --answer sing=no
has "$err" "nothing asks 'sing'"

# Answers that are given beforehand, for each question of their node.
run 0 run letter.json --thread quick --answer review=send --answer sign=no -q
has "$out" "signed    false"
run 2 run letter.json --thread wrong --answer review=perhaps -q
has "$err" "--answer review=perhaps does not fit"
run 0 threads
has "$out" "wrong" "waiting: asks 1 question"

# The same key again: the same run.
run 0 run letter.json --thread once --idempotency-key k --answer review=stop -q
has "$out" "verdict   stop"
run 0 run letter.json --thread once --idempotency-key k --answer review=send -q --json
has "$out" '"verdict":"stop"' '"thread":"once"'

# From elsewhere: a run that waits is stopped at once.
run 0 stop wrong
has "$out" "It is stopped"
run 1 stop wrong
has "$out" "No run of thread wrong is under way"
run 3 run letter.json --thread wrong
run 0 pause wrong
has "$out" "It waits already"

# For programs.
run 3 run letter.json --thread asked --json
has "$(tail -n 1 <<<"$out")" '"status":"paused"' '"thread":"asked"' '"questions":[{"address":"review#1/ask#0"' \
    '"options":["send","again","stop"]'

# A person at the terminal: each answer is kept.
command -v script >/dev/null || skip "there is no program script, which makes a terminal"
at_terminal() {
    local command=$1 line
    shift
    { for line in "$@"; do sleep 1; echo "$line"; done; sleep 1; } |
        NO_COLOR=1 timeout 50 script -qec "'$weft' $command" /dev/null | tr -d '\r'
}
seen=$(at_terminal "run letter.json --thread talk" 7 1 y)
has "$seen" "review asks:" "  1  send" "'7' is no answer" "sign asks:" "signed    true"
echo "kept_questions: all is well"
