#!/usr/bin/env bash
# The sample parallel_research is killed in the middle, and the same command goes on: nothing that was done is done
# again. usage: killed_research.sh <program parallel_research> <source folder>
set -euo pipefail
research=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
. "$source/async_tests/verdicts.sh"

# end_at <signal> <line> <argument>…: runs the sample until it writes the line, and sends it the signal then. What it has
# said is in $out.
end_at() {
    local signal=$1 wanted=$2 line pid status=0
    shift 2
    mkfifo said
    "$research" "$@" >said &
    pid=$!
    out=
    while IFS= read -r line; do
        out+=$line$'\n'
        [[ $line != *"$wanted"* ]] || kill "-$signal" "$pid" 2>/dev/null || true
    done <said
    wait "$pid" 2>/dev/null || status=$?
    rm said
    case $signal in
    KILL) [ "$status" = 137 ] || fail "it was not killed at '$wanted' but ended with $status: $out" ;;
    INT) [ "$status" = 130 ] || fail "Ctrl-C at '$wanted': it ended with $status: $out" ;;
    esac
}
finish() {
    local status=0
    out=$("$research" --fast "$@" 2>&1) || status=$?
    [ "$status" = 0 ] || fail "it ended with $status: $out"
}

if "$research" --fast --store runs.db probe 2>&1 | grep -q "built without SQLite"; then
    skip "weft is built without SQLite"
fi

# At the pace of a real model, so that whoever watches is in time. In the middle of the researchers: the plan is kept.
end_at KILL "web     done" --store runs.db rain
end_at KILL "write   asking" --store runs.db rain
has "$out" "Kept in runs.db." "Going on where it was left. Done before: plan"
lacks "$out" "plan    asking"

# While the first draft is written: all findings are kept. Ctrl-C keeps what was done, too.
end_at INT "write   asking" --store runs.db rain
has "$out" "Done before: plan, web, papers, data." "Stopped by Ctrl-C" "What was done is kept"
lacks "$out" "plan    asking" "web     asking" "papers  asking" "data    asking"
finish --store runs.db rain
has "$out" "Done before: plan, web, papers, data." "write   asking" "0.90 of 1"
lacks "$out" "plan    asking" "web     asking" "papers  asking" "data    asking"
kept=$(sed -n '/^#/,/^path/p' <<<"$out")

# It reports what an undisturbed run reports.
finish rain
undisturbed=$(sed -n '/^#/,/^path/p' <<<"$out")
[ "$(grep -v '^path' <<<"$kept")" = "$(grep -v '^path' <<<"$undisturbed")" ] || fail "another report: $kept"
lacks "$out" "Kept in"

# It is over: nobody is asked again. Another topic is another run.
finish --store runs.db rain
has "$out" "This was finished before" "0.90 of 1"
lacks "$out" " asking"
finish --store runs.db fog
has "$out" "plan    asking"

# A file of something else, a folder: said, and nothing is broken.
echo "this is no database, but a text that is longer than a header of one would be, and then some more" >text.db
status=0
err=$("$research" --fast --store text.db rain 2>&1 >/dev/null) || status=$?
[ "$status" = 1 ] || fail "a text was taken for a database: $status"
has "$err" "text.db"
echo "killed_research: all is well"
