#include "expression_writer.hpp"

#include <weft/graph/state_key.hpp>

#include <algorithm>
#include <string>

namespace weft::expression_detail {

std::size_t program_writer::emit(opcode code, std::size_t offset, std::size_t operand, std::size_t pops,
                                 std::size_t pushes, std::uint8_t variant)
{
    if (into_.code.size() >= into_.limits.instructions_max)
        tokens_.refuse_at(offset, "the expression has more than " + std::to_string(into_.limits.instructions_max) +
                                  " steps: compute a part of it in a node");
    // The depth is known when the program is made, so no evaluation checks for room on its stack.
    stack_ = stack_ - pops + pushes;
    into_.stack_max = std::max(into_.stack_max, stack_);
    into_.code.push_back({code, variant, static_cast<std::int32_t>(operand), static_cast<std::uint32_t>(offset)});
    return into_.code.size() - 1;
}

void program_writer::emit_constant(const expression_value& value, std::size_t offset)
{
    into_.constants.push_back(value);
    emit(opcode::constant, offset, into_.constants.size() - 1, 0, 1);
}

void program_writer::land(std::size_t index)
{
    into_.code[index].operand = static_cast<std::int32_t>(into_.code.size() - index - 1);
}

void program_writer::emit_name(const token& name)
{
    const auto [known, is_new] = names_.try_emplace(name.text, static_cast<std::uint32_t>(into_.names.size()));
    if (is_new)
        into_.names.push_back({std::string{name.text}, hash_of_name(name.text), known->second,
                               static_cast<std::uint32_t>(name.offset)});
    emit(opcode::name, name.offset, known->second, 0, 1);
}

void program_writer::take_back_name(const token& name, std::size_t names_before)
{
    into_.code.pop_back();
    --stack_;
    if (into_.names.size() == names_before) return;
    names_.erase(name.text);
    into_.names.pop_back();
}

bool program_writer::is_only(std::size_t first, opcode code) const noexcept
{
    return into_.code.size() == first + 1 && into_.code[first].code == code;
}

}  // namespace weft::expression_detail
