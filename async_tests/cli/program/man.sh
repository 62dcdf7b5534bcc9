#!/usr/bin/env bash
# The manual page, as man-db, groff and mandoc read it.
. "$(dirname "$0")/../program.sh"
run 0 man
cp .out weft.1
has "$out" '.TH WEFT 1' '.SH EXIT STATUS' '.SS weft check' '\-\-strict'
if grep -nE "^['.]" weft.1 | grep -vE "^[0-9]+:\.(\\\\\"|TH|SH|SS|PP|TP|B|BR|br|nf|fi|RS|RE)( |$)"; then
    fail "a line of text looks like a request"
fi
checked=no
if command -v groff >/dev/null; then
    complaints=$(groff -man -Tutf8 -ww -z weft.1 2>&1)
    is "$complaints" ""
    checked=yes
fi
if command -v man >/dev/null; then
    complaints=$(MANWIDTH=100 LC_ALL=C.UTF-8 man --warnings -l weft.1 2>&1 >shown)
    is "$complaints" ""
    has "$(<shown)" "weft check --strict graphs/*.json" "--format FORMAT" "source <(weft completion bash)"
    checked=yes
fi
if command -v mandoc >/dev/null; then
    mandoc -T lint -W error weft.1 || fail "mandoc finds errors"
    checked=yes
fi
[ "$checked" = yes ] || skip "there is no man, groff or mandoc"
echo "man: all is well"
