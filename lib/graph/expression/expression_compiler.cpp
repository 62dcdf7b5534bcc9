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
    of.refuse("nested deeper than " + std::to_string(of.into_.limits.nesting_max) +
              ": split the condition, or compute a part of it in a node");
}

void compiler::compile()
{
    advance();
    if (token_.kind == token_kind::end) {
        // Python refuses it too; taken for an empty text it would hold, which its author did not say.
        if (lexer_.has_seen_comment())
            refuse("there is only a comment: write an expression before it, or leave the text out");
        emit_constant(expression_value::boolean(true), 0);
        return;
    }
    parse_expression();
    if (token_.is(",")) {
        const std::size_t offset = token_.offset;
        std::size_t count = 1;
        while (accept(",") && token_.kind != token_kind::end) {
            parse_expression();
            ++count;
        }
        emit(opcode::tuple, offset, count, count, 1);
    }
    if (token_.kind != token_kind::end) refuse_token();
}

void compiler::parse_expression()
{
    const level nested{*this};
    const std::size_t first = into_.code.size();
    parse_or();
    if (!token_.is("if")) return;
    const std::size_t offset = token_.offset;
    advance();
    const std::size_t condition = into_.code.size();
    parse_or();
    if (!token_.is("else")) {
        refuse_comprehension();
        refuse("a value if condition needs an else: write `a if condition else b`");
    }
    advance();
    // Jumps are relative, so that whole operands can change places: the condition comes first.
    emit(opcode::jump_if_false, offset, 0, 1, 0);
    const auto begin = into_.code.begin();
    const std::size_t value_size = condition - first;
    std::rotate(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(condition),
                into_.code.end());
    const std::size_t branch = into_.code.size() - value_size - 1;
    const std::size_t leave = emit(opcode::jump, offset, 0, 1, 0);
    land(branch);
    parse_expression();
    land(leave);
}

void compiler::parse_or()
{
    parse_and();
    std::vector<std::size_t> jumps;
    while (token_.is("or")) {
        jumps.push_back(emit(opcode::keep_if_true, token_.offset, 0, 1, 0));
        advance();
        parse_and();
    }
    for (const std::size_t jump : jumps) land(jump);
}

void compiler::parse_and()
{
    parse_not();
    std::vector<std::size_t> jumps;
    while (token_.is("and")) {
        jumps.push_back(emit(opcode::keep_if_false, token_.offset, 0, 1, 0));
        advance();
        parse_not();
    }
    for (const std::size_t jump : jumps) land(jump);
}

void compiler::parse_not()
{
    if (!token_.is("not")) return parse_comparison();
    const level nested{*this};
    const std::size_t offset = token_.offset;
    advance();
    parse_not();
    emit(opcode::logical_not, offset, 0, 1, 1);
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
        if (accept(sign)) return is;
    if (accept("is")) return accept("not") ? comparison::is_not : comparison::is;
    if (accept("not")) {
        if (!accept("in")) refuse("`not` after a value must be followed by `in`");
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
        const std::size_t offset = token_.offset;
        const comparison how = read_comparison(found);
        if (!found) break;
        parse_binary(0);
        const bool goes_on = token_.is("<") || token_.is("<=") || token_.is(">") || token_.is(">=") ||
                             token_.is("==") || token_.is("!=") || token_.is("in") || token_.is("is") ||
                             token_.is("not");
        const auto variant = static_cast<std::uint8_t>(how);
        if (goes_on)
            jumps.push_back(emit(opcode::compare_chained, offset, 0, 2, 1, variant));
        else
            emit(opcode::compare, offset, 0, 2, 1, variant);
    }
    for (const std::size_t jump : jumps) land(jump);
}

void compiler::parse_binary(int level)
{
    const std::size_t first = into_.code.size();
    parse_unary();
    for (const operator_sign* sign = nullptr; (sign = find_operator(token_)) && sign->level >= level;) {
        const std::size_t offset = token_.offset;
        if (sign->is == binary_operator::modulo && is_text_constant(first)) refuse(std::string{no_formatting});
        advance();
        // All operators associate to the left: the right operand is made of those that bind tighter.
        if (sign->level == multiplicative)
            parse_unary();
        else
            parse_binary(sign->level + 1);
        emit(opcode::binary, offset, 0, 2, 1, static_cast<std::uint8_t>(sign->is));
    }
}

/** Whether all instructions from `first` on are one, and push a text. */
bool compiler::is_text_constant(std::size_t first) const
{
    return into_.code.size() == first + 1 && into_.code[first].code == opcode::constant &&
           into_.constants[static_cast<std::size_t>(into_.code[first].operand)].is(expression_kind::text);
}

void compiler::parse_unary()
{
    constexpr std::string_view signs[] = {"+", "-", "~"};
    const auto sign =
        std::find_if(std::begin(signs), std::end(signs), [&](std::string_view s) { return token_.is(s); });
    if (sign == std::end(signs)) return parse_power();
    const level nested{*this};
    const std::size_t offset = token_.offset;
    advance();
    parse_unary();
    emit(opcode::unary, offset, 0, 1, 1, static_cast<std::uint8_t>(sign - std::begin(signs)));
}

void compiler::parse_power()
{
    parse_postfix();
    if (!token_.is("**")) return;
    const level nested{*this};
    const std::size_t offset = token_.offset;
    advance();
    parse_unary();  // associates to the right, and 2 ** -1 is allowed
    emit(opcode::binary, offset, 0, 2, 1, static_cast<std::uint8_t>(binary_operator::power));
}

bool compiler::accept(std::string_view word)
{
    if (!token_.is(word)) return false;
    advance();
    return true;
}

std::size_t compiler::emit(opcode code, std::size_t offset, std::size_t operand, std::size_t pops, std::size_t pushes,
                           std::uint8_t variant)
{
    if (into_.code.size() >= into_.limits.instructions_max)
        lexer_.refuse(offset, "the expression has more than " + std::to_string(into_.limits.instructions_max) +
                                  " steps: compute a part of it in a node");
    stack_ = stack_ - pops + pushes;
    into_.stack_max = std::max(into_.stack_max, stack_);
    into_.code.push_back({code, variant, static_cast<std::int32_t>(operand), static_cast<std::uint32_t>(offset)});
    return into_.code.size() - 1;
}

void compiler::emit_constant(const expression_value& value, std::size_t offset)
{
    into_.constants.push_back(value);
    emit(opcode::constant, offset, into_.constants.size() - 1, 0, 1);
}

void compiler::land(std::size_t index)
{
    into_.code[index].operand = static_cast<std::int32_t>(into_.code.size() - index - 1);
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
