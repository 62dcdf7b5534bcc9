#include "expression_compiler.hpp"

#include <algorithm>
#include <limits>

namespace weft::expression_detail {

namespace {

struct operator_sign {
    std::string_view symbol;
    binary_operator is;
    int level;  ///< Higher binds tighter.
};

constexpr int multiplicative = 5;
constexpr operator_sign operator_signs[] = {
    {"|", binary_operator::bit_or, 0},        {"^", binary_operator::bit_xor, 1},
    {"&", binary_operator::bit_and, 2},       {"<<", binary_operator::shift_left, 3},
    {">>", binary_operator::shift_right, 3},  {"+", binary_operator::add, 4},
    {"-", binary_operator::subtract, 4},      {"*", binary_operator::multiply, multiplicative},
    {"/", binary_operator::divide, 5},        {"//", binary_operator::floor_divide, 5},
    {"%", binary_operator::modulo, 5},
};

const operator_sign* find_operator(const token& t)
{
    if (t.kind != token_kind::symbol) return nullptr;
    const auto found = std::find_if(std::begin(operator_signs), std::end(operator_signs),
                                    [&](const operator_sign& s) { return s.symbol == t.text; });
    return found == std::end(operator_signs) ? nullptr : found;
}

}  // namespace

compiler::level::level(compiler& of) : of_{of}
{
    if (++of.depth_ <= of.into_.limits.nesting_max) return;
    --of.depth_;
    of.tokens_.refuse("nested deeper than " + std::to_string(of.into_.limits.nesting_max) +
              ": split the condition, or compute a part of it in a node");
}

void compiler::compile()
{
    if (tokens_.is_end()) {
        // Python refuses it too; taken for an empty text it would hold, which its author did not say.
        if (tokens_.has_seen_comment())
            tokens_.refuse("there is only a comment: write an expression before it, or leave the text out");
        code_.emit_constant(expression_value::boolean(true), 0);
        return;
    }
    parse_expression();
    if (tokens_.is(",")) {
        const std::size_t offset = tokens_.offset();
        std::size_t count = 1;
        while (tokens_.accept(",") && !tokens_.is_end()) {
            parse_expression();
            ++count;
        }
        code_.emit(opcode::tuple, offset, count, count, 1);
    }
    if (!tokens_.is_end()) tokens_.refuse_token();
}

void compiler::parse_expression()
{
    // Recursion of the compiler is bounded here: a text of brackets alone must not end the process.
    const level nested{*this};
    const std::size_t first = code_.place();
    parse_or();
    if (!tokens_.is("if")) return;
    const std::size_t offset = tokens_.offset();
    tokens_.advance();
    const std::size_t condition = code_.place();
    parse_or();
    if (!tokens_.is("else")) {
        tokens_.refuse_comprehension();
        tokens_.refuse("a value if condition needs an else: write `a if condition else b`");
    }
    tokens_.advance();
    // Jumps are relative, so that whole operands can change places: the condition comes first.
    code_.emit(opcode::jump_if_false, offset, 0, 1, 0);
    // Python writes the value before the condition; a program asks the condition first.
    const auto begin = into_.code.begin();
    const std::size_t value_size = condition - first;
    std::rotate(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(condition),
                into_.code.end());
    const std::size_t branch = code_.place() - value_size - 1;
    const std::size_t leave = code_.emit(opcode::jump, offset, 0, 1, 0);
    code_.land(branch);
    parse_expression();
    code_.land(leave);
}

void compiler::parse_or() { parse_joined("or", opcode::keep_if_true, &compiler::parse_and); }

void compiler::parse_and() { parse_joined("and", opcode::keep_if_false, &compiler::parse_not); }

/** Operands with a word between them, of which the first that decides is the value of all. */
void compiler::parse_joined(std::string_view word, opcode keep_if, void (compiler::*parse_operand)())
{
    (this->*parse_operand)();
    std::vector<std::size_t> jumps;
    while (tokens_.is(word)) {
        jumps.push_back(code_.emit(keep_if, tokens_.offset(), 0, 1, 0));
        tokens_.advance();
        (this->*parse_operand)();
    }
    for (const std::size_t jump : jumps) code_.land(jump);
}

void compiler::parse_not()
{
    if (!tokens_.is("not")) return parse_comparison();
    const level nested{*this};
    const std::size_t offset = tokens_.offset();
    tokens_.advance();
    parse_not();
    code_.emit(opcode::logical_not, offset, 0, 1, 1);
}

comparison compiler::read_comparison(bool& found)
{
    constexpr std::pair<std::string_view, comparison> signs[] = {
        {"==", comparison::equal},      {"!=", comparison::unequal}, {"<", comparison::less},
        {"<=", comparison::less_equal}, {">", comparison::greater},  {">=", comparison::greater_equal},
        {"in", comparison::in},
    };
    found = true;
    for (const auto& [sign, is] : signs)
        if (tokens_.accept(sign)) return is;
    if (tokens_.accept("is")) return tokens_.accept("not") ? comparison::is_not : comparison::is;
    if (tokens_.accept("not")) {
        if (!tokens_.accept("in")) tokens_.refuse("`not` after a value must be followed by `in`");
        return comparison::not_in;
    }
    found = false;
    return comparison::equal;
}

void compiler::parse_comparison()
{
    parse_binary(0);
    std::vector<std::size_t> jumps;
    bool found = false;
    for (;;) {
        const std::size_t offset = tokens_.offset();
        const comparison how = read_comparison(found);
        if (!found) break;
        parse_binary(0);
        const bool goes_on = tokens_.is("<") || tokens_.is("<=") || tokens_.is(">") || tokens_.is(">=") ||
                             tokens_.is("==") || tokens_.is("!=") || tokens_.is("in") || tokens_.is("is") ||
                             tokens_.is("not");
        const auto variant = static_cast<std::uint8_t>(how);
        if (goes_on)
            jumps.push_back(code_.emit(opcode::compare_chained, offset, 0, 2, 1, variant));
        else
            code_.emit(opcode::compare, offset, 0, 2, 1, variant);
    }
    for (const std::size_t jump : jumps) code_.land(jump);
}

void compiler::parse_binary(int level)
{
    const std::size_t first = code_.place();
    parse_unary();
    for (const operator_sign* sign = nullptr; (sign = find_operator(tokens_.now())) && sign->level >= level;) {
        const std::size_t offset = tokens_.offset();
        if (sign->is == binary_operator::modulo && is_text_constant(first)) tokens_.refuse(std::string{no_formatting});
        tokens_.advance();
        // All operators associate to the left: the right operand is made of those that bind tighter.
        if (sign->level == multiplicative)
            parse_unary();
        else
            parse_binary(sign->level + 1);
        code_.emit(opcode::binary, offset, 0, 2, 1, static_cast<std::uint8_t>(sign->is));
    }
}

/** Whether all instructions from `first` on are one, and push a text. */
bool compiler::is_text_constant(std::size_t first) const
{
    return code_.is_only(first, opcode::constant) &&
           into_.constants[static_cast<std::size_t>(into_.code[first].operand)].is(expression_kind::text);
}

void compiler::parse_unary()
{
    constexpr std::string_view signs[] = {"+", "-", "~"};
    const auto sign =
        std::find_if(std::begin(signs), std::end(signs), [&](std::string_view s) { return tokens_.is(s); });
    if (sign == std::end(signs)) return parse_power();
    const level nested{*this};
    const std::size_t offset = tokens_.offset();
    tokens_.advance();
    parse_unary();
    code_.emit(opcode::unary, offset, 0, 1, 1, static_cast<std::uint8_t>(sign - std::begin(signs)));
}

void compiler::parse_power()
{
    parse_postfix();
    if (!tokens_.is("**")) return;
    const level nested{*this};
    const std::size_t offset = tokens_.offset();
    tokens_.advance();
    parse_unary();  // associates to the right, and 2 ** -1 is allowed
    code_.emit(opcode::binary, offset, 0, 2, 1, static_cast<std::uint8_t>(binary_operator::power));
}

void compiler::parse_postfix()
{
    parse_atom();
    for (;;) {
        if (tokens_.is("."))
            parse_attribute();
        else if (tokens_.is("["))
            parse_subscript();
        else if (tokens_.is("("))
            tokens_.refuse("calling a value is not allowed: only functions and methods can be called by their name");
        else
            return;
    }
}

void compiler::parse_atom()
{
    if (tokens_.now().kind == token_kind::name) return parse_name();
    if (tokens_.is("(")) return parse_parenthesis();
    if (tokens_.is("[")) return parse_list();
    if (tokens_.is("{")) return parse_dict();
    if (tokens_.now().kind != token_kind::literal) tokens_.refuse_token();
    if (tokens_.is_text()) return parse_strings();
    code_.emit_constant(tokens_.now().value, tokens_.offset());
    tokens_.advance();
}

/** Strings that follow one another are one. */
void compiler::parse_strings()
{
    const token first = tokens_.now();
    tokens_.advance();
    if (!tokens_.is_text())
        return code_.emit_constant(first.value, first.offset);
    std::string whole_text{first.value.as_text()};
    for (; tokens_.is_text(); tokens_.advance())
        whole_text += tokens_.now().value.as_text();
    code_.emit_constant(into_.arena.copy(whole_text), first.offset);
}

void compiler::parse_name()
{
    const token name = tokens_.now();
    if (tokens_.is_reserved()) tokens_.refuse_token();
    tokens_.advance();
    const bool is_true = name.text == "True" || name.text == "true";
    if (is_true || name.text == "False" || name.text == "false")
        return code_.emit_constant(expression_value::boolean(is_true), name.offset);
    if (name.text == "None") return code_.emit_constant({}, name.offset);
    if (tokens_.is("(")) {
        return parse_call(opcode::function, functions(), name);
    }
    code_.emit_name(name);
}

void compiler::parse_parenthesis()
{
    const std::size_t offset = tokens_.offset();
    tokens_.advance();
    if (tokens_.accept(")")) {
        code_.emit(opcode::tuple, offset, 0, 0, 1);
        return;
    }
    parse_expression();
    if (!tokens_.is(",")) return tokens_.expect(")", "the opening (");
    tokens_.advance();
    const std::size_t count = 1 + parse_items(")", [this] { parse_expression(); });
    code_.emit(opcode::tuple, offset, count, count, 1);
}

template <class F>
std::size_t compiler::parse_items(std::string_view closing, F parse_one)
{
    std::size_t count = 0;
    while (!tokens_.accept(closing)) {
        parse_one();
        ++count;
        if (!tokens_.is(closing)) tokens_.expect(",", "an item, or " + std::string{closing});
    }
    return count;
}

void compiler::parse_list()
{
    const std::size_t offset = tokens_.offset();
    tokens_.advance();
    const std::size_t count = parse_items("]", [this] { parse_expression(); });
    code_.emit(opcode::list, offset, count, count, 1);
}

void compiler::parse_dict()
{
    const std::size_t offset = tokens_.offset();
    tokens_.advance();
    const std::size_t count = parse_items("}", [this] {
        parse_expression();
        if (tokens_.is(",") || tokens_.is("}")) tokens_.refuse("a set display is not allowed: write set([...])");
        tokens_.expect(":", "the key of a dict");
        parse_expression();
    });
    code_.emit(opcode::dict, offset, count, 2 * count, 1);
}

void compiler::parse_subscript()
{
    const std::size_t offset = tokens_.offset();
    tokens_.advance();
    if (tokens_.is(":")) tokens_.refuse("a slice is not allowed: only one item can be taken");
    parse_expression();
    if (tokens_.is(":")) tokens_.refuse("a slice is not allowed: only one item can be taken");
    if (tokens_.is(",")) {
        tokens_.advance();
        const std::size_t count = 1 + parse_items("]", [this] { parse_expression(); });
        code_.emit(opcode::tuple, offset, count, count, 1);
    } else {
        tokens_.expect("]", "the opening [");
    }
    code_.emit(opcode::subscript, offset, 0, 2, 1);
}

void compiler::parse_attribute()
{
    const std::size_t offset = tokens_.offset();
    tokens_.advance();
    const token name = tokens_.now();
    if (name.kind != token_kind::name) tokens_.refuse("a name is missing after the dot");
    if (name.text.starts_with('_')) tokens_.refuse("attribute '" + std::string{name.text} + "' is private");
    tokens_.advance();
    if (tokens_.is("(")) {
        return parse_call(opcode::method, methods(), name);
    }
    into_.constants.push_back(into_.arena.copy(name.text));
    code_.emit(opcode::attribute, offset, into_.constants.size() - 1, 1, 1);
}

void compiler::parse_call(opcode code, std::span<const callable> among, const token& name)
{
    const bool is_method = code == opcode::method;
    const callable* const what = find_callable(among, name.text);
    if (!what) tokens_.refuse_at(name.offset, no_callable(among, name.text, is_method ? "method" : "function"));
    tokens_.advance();
    call_site site{static_cast<std::uint32_t>(what - among.data()), 0, {}};
    const std::size_t count = parse_items(")", [&] { parse_argument(site, *what); });
    if (const std::string why = wrong_count(site, *what); !why.empty()) tokens_.refuse_at(name.offset, why);
    into_.calls.push_back(std::move(site));
    code_.emit(code, name.offset, into_.calls.size() - 1, count + (is_method ? 1 : 0), 1);
}

void compiler::parse_argument(call_site& site, const callable& what)
{
    // Whether it is a name of an argument is known only behind it, when a `=` follows.
    const token begin = tokens_.now();
    const std::size_t first = code_.place();
    const std::size_t names = into_.names.size();
    parse_expression();
    if (!tokens_.is("=")) {
        if (!site.names.empty()) tokens_.refuse_at(begin.offset, "an argument without a name follows one with a name");
        ++site.positional;
        return;
    }
    if (begin.kind != token_kind::name || !code_.is_only(first, opcode::name))
        tokens_.refuse("assignment is not allowed: compare with ==");
    // What was read as a value is the name of an argument.
    code_.take_back_name(begin, names);
    const bool is_known =
        what.keywords == "*" || what.keywords.find(std::string{begin.text} + " ") != what.keywords.npos;
    if (!is_known)
        tokens_.refuse_at(begin.offset,
                      std::string{what.name} + "() has no argument called '" + std::string{begin.text} + "'");
    if (std::find(site.names.begin(), site.names.end(), begin.text) != site.names.end())
        tokens_.refuse_at(begin.offset, "argument '" + std::string{begin.text} + "' is given twice");
    site.names.emplace_back(begin.text);
    tokens_.advance();
    parse_expression();
}

program compile_program(std::string_view text, const expression_limits& limits)
{
    if (text.size() > limits.text_bytes_max)
        throw error{errc::invalid_expression, "line 1, column 1",
                    "the text has " + std::to_string(text.size()) + " bytes, and " +
                        std::to_string(limits.text_bytes_max) + " are allowed"};
    program result{text, limits};
    compiler{result}.compile();
    return result;
}

}  // namespace weft::expression_detail
