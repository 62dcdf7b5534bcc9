#pragma once

#include "expression_program.hpp"
#include "expression_tokens.hpp"
#include "expression_writer.hpp"

#include <span>
#include <string_view>

namespace weft::expression_detail {

/** Reads an expression and writes its program in one pass: operands first, then what is done with them.
 *
 *  Recursion is as deep as the nesting, which is bounded; operators of one level are a loop.
 */
class compiler {
public:
    explicit compiler(program& into) : into_{into}, tokens_{into.text, into.arena}, code_{into, tokens_} {}

    void compile();

private:
    // From loose to tight; each writes code that leaves one value.
    void parse_expression();               // a if c else b
    void parse_or();
    void parse_and();
    void parse_joined(std::string_view word, opcode keep_if, void (compiler::*parse_operand)());
    void parse_not();
    void parse_comparison();
    void parse_binary(int level);          // | ^ & << >> + - * / // % @
    [[nodiscard]] bool is_text_constant(std::size_t first) const;
    void parse_unary();
    void parse_power();
    void parse_postfix();                  // a.b a[b] a.b(c)
    void parse_atom();
    void parse_name();
    void parse_strings();
    void parse_parenthesis();
    void parse_list();
    void parse_dict();
    void parse_subscript();
    void parse_attribute();
    void parse_call(opcode code, std::span<const callable> among, const token& name);
    void parse_argument(call_site& site, const callable& what);

    [[nodiscard]] comparison read_comparison(bool& found);
    /** The items of a display or of a call up to `closing`; `parse_one` reads each. @return How many. */
    template <class F>
    std::size_t parse_items(std::string_view closing, F parse_one);

    /** One level of nesting, as long as it lives. */
    class level {
    public:
        explicit level(compiler& of);
        ~level() { --of_.depth_; }
        level(const level&) = delete;
        level& operator=(const level&) = delete;

    private:
        compiler& of_;
    };

    program& into_;
    token_stream tokens_;
    program_writer code_;
    std::size_t depth_ = 0;
};

/** Translates a text. Throws `invalid_expression`. */
[[nodiscard]] program compile_program(std::string_view text, const expression_limits& limits);

}  // namespace weft::expression_detail
