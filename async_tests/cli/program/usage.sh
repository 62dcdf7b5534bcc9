#!/usr/bin/env bash
# Help, version, wrong words, and weft new.
. "$(dirname "$0")/../program.sh"

run 0 --version
[[ $out =~ ^weft\ [0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "a strange version: $out"
run 0 --help
has "$out" "weft new hello" "weft check hello.json" "Example:" "man weft" "completion"
[[ $out != *"manual page"* ]] || fail "the hidden command is shown"
for command in new check explain draw completion run index resume threads history show answer fork compat pause stop label \
    prune forget; do
    run 0 "$command" --help
    has "$out" "weft $command" "Example" "Usage:"
done

run 0 help draw
has "$out" "weft draw"
run 0 help
has "$out" "weft new hello"

run 2
has "$err" "Commands:"
is "$out" ""
run 2 chekc bad.json
is "$err" "weft: there is no command 'chekc' (did you mean 'check'?); known: $(
    "$weft" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p' | head -n 12 | paste -sd, | sed 's/,/, /g') and $(
    "$weft" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p' | tail -n +13 | wc -l) more
See weft --help"
run 2 check x.json --formt=json
has "$err" "weft check: there is no option '--formt' (did you mean '--format'?)" "See weft check --help"
run 2 --versoin
has "$err" "(did you mean '--version'?)"
run 2 draw a.json b.json
has "$err" "weft draw: there is no place for 'b.json'"
run 2 check --format yaml x.json
has "$err" "weft check: --format" "yaml"

run 0 new hello
has "$out" "Wrote hello.json" "weft run hello.json --input who=you"
run 0 check --strict hello.json
is "$out" "1 file: no errors, no warnings, no notes"
run 2 new hello.json
has "$err" "weft new: hello.json is there already" "--force"
echo changed >hello.json
run 0 new hello --force
run 0 check hello.json
run 0 new "it's \"so\""
has "$out" "weft run 'it'\\''s \"so\".json'"
run 0 check "it's \"so\".json"
run 2 new nowhere/x
has "$err" "cannot write nowhere/x.json: No such file or directory"
run 2 new ''
run 2 new x --template nonsense
has "$err" "nonsense"
for template in review research; do
    run 0 new "$template" --template "$template"
    # without the kind llm where weft was built without models
    "$weft" check --strict "$template.json" >/dev/null 2>&1 || run 0 check --strict --kinds llm "$template.json"
done

if [ -e /dev/full ]; then
    status=0
    "$weft" --help >/dev/full 2>full.err || status=$?
    is "$status" 2
    has "$(<full.err)" "standard output"
fi
echo "usage: all is well"
