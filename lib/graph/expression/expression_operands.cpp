#include "expression_compiler.hpp"

#include <weft/base/suggestion.hpp>
#include <weft/graph/state_key.hpp>

#include <algorithm>

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

void compiler::refuse_token() const
{
    if (token_.kind == token_kind::end) refuse("the expression ends too early: a value is missing");
    const std::string written{token_.text};
    if (token_.kind == token_kind::literal) refuse("unexpected " + written + ": an operator is missing before it");
    for (const reserved_word& r : refusals)
        if (token_.is(r.word)) refuse(std::string{r.answer});
    if (token_.kind == token_kind::name && !is_any(token_.text, keywords))
        refuse("unexpected name '" + written + "': an operator is missing before it");
    refuse("unexpected '" + written + "': a value is expected");
}

void compiler::refuse_comprehension() const
{
    if (token_.is("for") || token_.is("async") || token_.is(":=") || token_.is("=")) refuse_token();
}

void compiler::expect(std::string_view symbol, std::string_view after)
{
    if (accept(symbol)) return;
    refuse_comprehension();
    if (token_.kind == token_kind::end)
        refuse("the expression ends too early: " + std::string{symbol} + " is missing after " + std::string{after});
    const bool is_refused = std::any_of(std::begin(refusals), std::end(refusals),
                                        [&](const reserved_word& r) { return token_.is(r.word); });
    if (is_refused) refuse_token();
    refuse("unexpected " + std::string{token_.text} + ": " + std::string{symbol} + " is missing after " +
           std::string{after});
}

void compiler::parse_postfix()
{
    parse_atom();
    for (;;) {
        if (token_.is("."))
            parse_attribute();
        else if (token_.is("["))
            parse_subscript();
        else if (token_.is("("))
            refuse("calling a value is not allowed: only functions and methods can be called by their name");
        else
            return;
    }
}

void compiler::parse_atom()
{
    if (token_.kind == token_kind::name) return parse_name();
    if (token_.is("(")) return parse_parenthesis();
    if (token_.is("[")) return parse_list();
    if (token_.is("{")) return parse_dict();
    if (token_.kind != token_kind::literal) refuse_token();
    if (token_.value.is(expression_kind::text)) return parse_strings();
    emit_constant(token_.value, token_.offset);
    advance();
}

/** Strings that follow one another are one. */
void compiler::parse_strings()
{
    const token first = token_;
    advance();
    if (token_.kind != token_kind::literal || !token_.value.is(expression_kind::text))
        return emit_constant(first.value, first.offset);
    std::string whole_text{first.value.as_text()};
    for (; token_.kind == token_kind::literal && token_.value.is(expression_kind::text); advance())
        whole_text += token_.value.as_text();
    emit_constant(into_.arena.copy(whole_text), first.offset);
}

void compiler::parse_name()
{
    const token name = token_;
    constexpr std::string_view truths[] = {"True", "true"};
    constexpr std::string_view falsehoods[] = {"False", "false"};
    const bool is_refused = std::any_of(std::begin(refusals), std::end(refusals),
                                        [&](const reserved_word& r) { return name.text == r.word; });
    if (is_refused || is_any(name.text, keywords)) refuse_token();
    advance();
    if (is_any(name.text, truths)) return emit_constant(expression_value::boolean(true), name.offset);
    if (is_any(name.text, falsehoods)) return emit_constant(expression_value::boolean(false), name.offset);
    if (name.text == "None") return emit_constant({}, name.offset);
    if (token_.is("(")) {
        const std::uint32_t callee = find_callable(functions(), name, "function");
        return parse_call(opcode::function, callee, functions()[callee], name.offset);
    }
    const auto [known, is_new] = names_.try_emplace(name.text, static_cast<std::uint32_t>(into_.names.size()));
    if (is_new)
        into_.names.push_back({std::string{name.text}, hash_of_name(name.text), known->second,
                               static_cast<std::uint32_t>(name.offset)});
    emit(opcode::name, name.offset, known->second, 0, 1);
}

std::uint32_t compiler::find_callable(std::span<const callable> among, const token& name, std::string_view what) const
{
    std::vector<std::string_view> known;
    for (const callable& c : among) {
        if (c.name == name.text) return static_cast<std::uint32_t>(&c - among.data());
        known.push_back(c.name);
    }
    std::string list;
    for (const std::string_view k : known) list += (list.empty() ? "" : ", ") + std::string{k};
    lexer_.refuse(name.offset, "calling the " + std::string{what} + " '" + std::string{name.text} +
                                   "' is not allowed" + did_you_mean(name.text, known) + "; allowed are " + list);
}

void compiler::parse_parenthesis()
{
    const std::size_t offset = token_.offset;
    advance();
    if (accept(")")) {
        emit(opcode::tuple, offset, 0, 0, 1);
        return;
    }
    parse_expression();
    if (!token_.is(",")) return expect(")", "the opening (");
    advance();
    const std::size_t count = 1 + parse_items(")", [this] { parse_expression(); });
    emit(opcode::tuple, offset, count, count, 1);
}

template <class F>
std::size_t compiler::parse_items(std::string_view closing, F parse_one)
{
    std::size_t count = 0;
    while (!accept(closing)) {
        parse_one();
        ++count;
        if (!token_.is(closing)) expect(",", "an item, or " + std::string{closing});
    }
    return count;
}

void compiler::parse_list()
{
    const std::size_t offset = token_.offset;
    advance();
    const std::size_t count = parse_items("]", [this] { parse_expression(); });
    emit(opcode::list, offset, count, count, 1);
}

void compiler::parse_dict()
{
    const std::size_t offset = token_.offset;
    advance();
    const std::size_t count = parse_items("}", [this] {
        parse_expression();
        if (token_.is(",") || token_.is("}")) refuse("a set display is not allowed: write set([...])");
        expect(":", "the key of a dict");
        parse_expression();
    });
    emit(opcode::dict, offset, count, 2 * count, 1);
}

void compiler::parse_subscript()
{
    const std::size_t offset = token_.offset;
    advance();
    if (token_.is(":")) refuse("a slice is not allowed: only one item can be taken");
    parse_expression();
    if (token_.is(":")) refuse("a slice is not allowed: only one item can be taken");
    if (token_.is(",")) {
        advance();
        const std::size_t count = 1 + parse_items("]", [this] { parse_expression(); });
        emit(opcode::tuple, offset, count, count, 1);
    } else {
        expect("]", "the opening [");
    }
    emit(opcode::subscript, offset, 0, 2, 1);
}

void compiler::parse_attribute()
{
    const std::size_t offset = token_.offset;
    advance();
    const token name = token_;
    if (name.kind != token_kind::name) refuse("a name is missing after the dot");
    if (name.text.starts_with('_')) refuse("attribute '" + std::string{name.text} + "' is private");
    advance();
    if (token_.is("(")) {
        const std::uint32_t callee = find_callable(methods(), name, "method");
        return parse_call(opcode::method, callee, methods()[callee], name.offset);
    }
    into_.constants.push_back(into_.arena.copy(name.text));
    emit(opcode::attribute, offset, into_.constants.size() - 1, 1, 1);
}

void compiler::parse_call(opcode code, std::uint32_t callee, const callable& what, std::size_t offset)
{
    advance();
    call_site site{callee, 0, {}};
    const std::size_t count = parse_items(")", [&] { parse_argument(site, what); });
    check_arguments(site, what, offset);
    into_.calls.push_back(std::move(site));
    const std::size_t receiver = code == opcode::method ? 1 : 0;
    emit(code, offset, into_.calls.size() - 1, count + receiver, 1);
}

void compiler::parse_argument(call_site& site, const callable& what)
{
    const token begin = token_;
    const std::size_t first = into_.code.size();
    const std::size_t names = into_.names.size();
    parse_expression();
    if (!token_.is("=")) {
        if (!site.names.empty()) lexer_.refuse(begin.offset, "an argument without a name follows one with a name");
        ++site.positional;
        return;
    }
    const bool is_name = begin.kind == token_kind::name && into_.code.size() == first + 1 &&
                         into_.code.back().code == opcode::name;
    if (!is_name) refuse("assignment is not allowed: compare with ==");
    // What was read as a value is the name of an argument.
    into_.code.pop_back();
    --stack_;
    if (into_.names.size() != names) {
        names_.erase(begin.text);
        into_.names.pop_back();
    }
    const bool is_known =
        what.keywords == "*" || what.keywords.find(std::string{begin.text} + " ") != what.keywords.npos;
    if (!is_known)
        lexer_.refuse(begin.offset,
                      std::string{what.name} + "() has no argument called '" + std::string{begin.text} + "'");
    if (std::find(site.names.begin(), site.names.end(), begin.text) != site.names.end())
        lexer_.refuse(begin.offset, "argument '" + std::string{begin.text} + "' is given twice");
    site.names.emplace_back(begin.text);
    advance();
    parse_expression();
}

void compiler::check_arguments(const call_site& site, const callable& what, std::size_t offset) const
{
    const std::string name = std::string{what.name} + "()";
    if (site.positional < what.arguments_min)
        lexer_.refuse(offset, name + " needs at least " + std::to_string(what.arguments_min) + " argument" +
                                  (what.arguments_min == 1 ? "" : "s"));
    if (what.arguments_max != callable::any && site.positional > what.arguments_max)
        lexer_.refuse(offset, name + " takes at most " + std::to_string(what.arguments_max) + " argument" +
                                  (what.arguments_max == 1 ? "" : "s"));
}

}  // namespace weft::expression_detail
