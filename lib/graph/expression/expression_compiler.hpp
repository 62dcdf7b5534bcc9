#pragma once

#include "expression_lexer.hpp"
#include "expression_program.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace weft::expression_detail {

/** Reads an expression and writes its program in one pass: operands first, then what is done with them.
 *
 *  Recursion is as deep as the nesting, which is bounded; operators of one level are a loop.
 */
class compiler {
public:
    compiler(program& into) : into_{into}, lexer_{into.text, into.arena} {}

    void compile();

private:
    // From loose to tight; each writes code that leaves one value.
    void parse_expression();               // a if c else b
    void parse_or();
    void parse_and();
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
    void parse_call(opcode code, std::uint32_t callee, const callable& what, std::size_t offset);
    void parse_argument(call_site& site, const callable& what);

    [[nodiscard]] comparison read_comparison(bool& found);
    [[nodiscard]] std::uint32_t find_callable(std::span<const callable> among, const token& name,
                                              std::string_view what) const;
    void check_arguments(const call_site& site, const callable& what, std::size_t offset) const;
    /** The items of a display or of a call up to `closing`; `parse_one` reads each. @return How many. */
    template <class F>
    std::size_t parse_items(std::string_view closing, F parse_one);

    void advance() { token_ = lexer_.next(); }
    [[nodiscard]] bool accept(std::string_view word);
    void expect(std::string_view symbol, std::string_view after);
    [[noreturn]] void refuse(const std::string& what) const { lexer_.refuse(token_.offset, what); }
    /** Says why the token at hand cannot stand where it does. */
    [[noreturn]] void refuse_token() const;
    void refuse_comprehension() const;

    /** Writes an instruction that takes `pops` values and leaves `pushes`. @return Where it is. */
    std::size_t emit(opcode code, std::size_t offset, std::size_t operand, std::size_t pops, std::size_t pushes,
                     std::uint8_t variant = 0);
    void emit_constant(const expression_value& value, std::size_t offset);
    /** Lets the jump at `index` go to the next instruction that is written. */
    void land(std::size_t index);

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
    lexer lexer_;
    token token_;
    std::size_t depth_ = 0;
    std::size_t stack_ = 0;
    std::unordered_map<std::string_view, std::uint32_t> names_;
};

}  // namespace weft::expression_detail
