#pragma once

#include "expression_program.hpp"
#include "expression_tokens.hpp"

#include <string_view>
#include <unordered_map>

namespace weft::expression_detail {

/** Writes the instructions of a program, and counts how deep its stack gets.
 *
 *  @par Lifetimes   Borrows the program, and the tokens to refuse what is too long.
 */
class program_writer {
public:
    program_writer(program& into, const token_stream& tokens) noexcept : into_{into}, tokens_{tokens} {}

    /** Where the next instruction will be. */
    [[nodiscard]] std::size_t place() const noexcept { return into_.code.size(); }
    /** Writes an instruction that takes `pops` values and leaves `pushes`. @return Where it is. */
    std::size_t emit(opcode code, std::size_t offset, std::size_t operand, std::size_t pops, std::size_t pushes,
                     std::uint8_t variant = 0);
    void emit_constant(const expression_value& value, std::size_t offset);
    /** Writes that a name is read. Each name is listed once. */
    void emit_name(const token& name);
    /** Takes back the last instruction, which reads a name; `names_before` were listed before it. */
    void take_back_name(const token& name, std::size_t names_before);
    /** Lets the jump at `index` go to the next instruction that is written. */
    void land(std::size_t index);
    /** Whether all instructions from `first` on are one of a kind. */
    [[nodiscard]] bool is_only(std::size_t first, opcode code) const noexcept;

private:
    program& into_;
    const token_stream& tokens_;
    std::size_t stack_ = 0;
    std::unordered_map<std::string_view, std::uint32_t> names_;
};

}  // namespace weft::expression_detail
