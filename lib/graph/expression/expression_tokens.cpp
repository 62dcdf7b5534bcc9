#include "expression_tokens.hpp"

#include <algorithm>
#include <iterator>
#include <span>

namespace weft::expression_detail {

namespace {

struct reserved_word {
    std::string_view word;
    std::string_view answer;
};

/** Words and signs of Python and of other languages, and what to say to them. */
constexpr reserved_word refusals[] = {
    {"lambda", "lambda is not allowed"},
    {"for", "a comprehension is not allowed: use all, any, sum, or compute the list in a node"},
    {"async", "async is not allowed"},
    {"await", "await is not allowed"},
    {"yield", "yield is not allowed"},
    {"import", "import is not allowed"},
    {"from", "import is not allowed"},
    {":=", "assignment with := is not allowed"},
    {"=", "assignment is not allowed: compare with =="},
    {"&&", "&& is not an operator here: write and"},
    {"||", "|| is not an operator here: write or"},
    {"!", "! is not an operator here: write not"},
    {"<>", "<> is not an operator: write !="},
    {"?", "? is not an operator here: write a if condition else b"},
    {"*", "unpacking with * is not allowed"},
    {"**", "unpacking with ** is not allowed"},
    {"...", "... is not allowed"},
    {"@", "the operator @ is not allowed"},
    {";", "only one expression is allowed, without ;"},
};

constexpr std::string_view keywords[] = {
    "and",   "as",     "assert", "break", "class",    "continue", "def", "del",   "elif", "else",  "except", "finally",
    "global", "if",    "in",     "is",    "nonlocal", "not",      "or",  "pass",  "raise", "return", "try",   "while",
    "with",
};

bool is_any(std::string_view word, std::span<const std::string_view> among)
{
    return std::find(among.begin(), among.end(), word) != among.end();
}

}  // namespace

bool token_stream::is_reserved() const
{
    const bool is_refused = std::any_of(std::begin(refusals), std::end(refusals),
                                        [&](const reserved_word& r) { return now_.is(r.word); });
    return is_refused || is_any(now_.text, keywords);
}

void token_stream::refuse_token() const
{
    if (now_.kind == token_kind::end) refuse("the expression ends too early: a value is missing");
    const std::string written{now_.text};
    if (now_.kind == token_kind::literal) refuse("unexpected " + written + ": an operator is missing before it");
    for (const reserved_word& r : refusals)
        if (now_.is(r.word)) refuse(std::string{r.answer});
    if (now_.kind == token_kind::name && !is_any(now_.text, keywords))
        refuse("unexpected name '" + written + "': an operator is missing before it");
    refuse("unexpected '" + written + "': a value is expected");
}

void token_stream::refuse_comprehension() const
{
    if (now_.is("for") || now_.is("async") || now_.is(":=") || now_.is("=")) refuse_token();
}

void token_stream::expect(std::string_view symbol, std::string_view after)
{
    if (accept(symbol)) return;
    refuse_comprehension();
    if (now_.kind == token_kind::end)
        refuse("the expression ends too early: " + std::string{symbol} + " is missing after " + std::string{after});
    if (std::any_of(std::begin(refusals), std::end(refusals), [&](const auto& r) { return now_.is(r.word); }))
        refuse_token();
    refuse("unexpected " + std::string{now_.text} + ": " + std::string{symbol} + " is missing after " +
           std::string{after});
}

bool token_stream::accept(std::string_view word)
{
    if (!now_.is(word)) return false;
    advance();
    return true;
}

}  // namespace weft::expression_detail
