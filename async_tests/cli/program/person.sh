#!/usr/bin/env bash
# weft run with nodes that ask a person: answers given beforehand, nobody there, a person at a terminal.
. "$(dirname "$0")/../program.sh"
unset WEFT_LLM_PROVIDER WEFT_LLM_URL WEFT_LLM_API_KEY WEFT_LLM_MODEL OPENAI_API_KEY OPENAI_BASE_URL \
    ANTHROPIC_API_KEY GEMINI_API_KEY GOOGLE_API_KEY
letter=$source/samples/graphs/letter.json

run 0 run -q "$letter" --answer review=send --answer sign=yes
has "$out" "signed    true" "path      draft -> judge -> review -> sign"
run 0 run -q "$letter" --answer review=stop
has "$out" "verdict   stop" "-> stop"

run 1 run -q "$letter"
has "$err" "node 'review'" "nobody is there" "--answer review=TEXT"
run 1 run -q "$letter" --answer review=perhaps
has "$err" "--answer review" "does not fit"

# A person: a choice by its number, a wrong answer first, an approval.
command -v script >/dev/null || skip "there is no program script, which makes a terminal"
at_terminal() {
    { for line in "$@"; do sleep 1; echo "$line"; done; sleep 1; } |
        NO_COLOR=1 timeout 50 script -qec "'$weft' run '$letter'" /dev/null | tr -d '\r'
}
seen=$(at_terminal 7 1 y)
has "$seen" "review asks:" "  1  send" "sign asks: Sign and send this letter?" "[y/n]" "verdict   send" "signed    true"
has "$seen" "'7'"
echo "person: all is well"
