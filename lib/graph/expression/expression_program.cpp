#include "expression_program.hpp"

#include "expression_calls.hpp"
#include "expression_container.hpp"

#include <algorithm>
#include <cstddef>

namespace weft::expression_detail {

namespace {

constexpr std::size_t stack_on_stack = 24;  // values; a deeper stack comes from the arena

class evaluator {
public:
    evaluator(const program& of, const expression_scope& scope, evaluation& in, expression_value* stack) noexcept
        : of_{of}, scope_{scope}, in_{in}, top_{stack}
    {
    }

    expression_value run(std::size_t& at)
    {
        for (at = 0; at < of_.code.size(); ++at) {
            in_.charge(1);
            at += execute(of_.code[at]);
        }
        return top_[-1];
    }

private:
    /** @return By how many instructions to jump. */
    std::size_t execute(const instruction& i)
    {
        const auto operand = static_cast<std::size_t>(i.operand);
        switch (i.code) {
        case opcode::constant: *top_++ = of_.constants[operand]; return 0;
        case opcode::name: push_name(of_.names[operand]); return 0;
        case opcode::compare: {
            const expression_value right = *--top_;
            top_[-1] = expression_value::boolean(
                compare(in_, static_cast<comparison>(i.variant), top_[-1], right));
            return 0;
        }
        case opcode::compare_chained: return compare_chained(i);
        case opcode::logical_not: top_[-1] = expression_value::boolean(!is_true(in_, top_[-1])); return 0;
        case opcode::jump: return operand;
        case opcode::jump_if_false: return is_true(in_, *--top_) ? 0 : operand;
        case opcode::keep_if_false: return keep_if(false, operand);
        case opcode::keep_if_true: return keep_if(true, operand);
        case opcode::unary: top_[-1] = apply(in_, static_cast<unary_operator>(i.variant), top_[-1]); return 0;
        case opcode::binary: {
            const expression_value right = *--top_;
            top_[-1] = apply(in_, static_cast<binary_operator>(i.variant), top_[-1], right);
            return 0;
        }
        // What conditions rarely do stands apart, so that the switch of the loop stays small.
        default: execute_rest(i, operand); return 0;
        }
    }

    void execute_rest(const instruction& i, std::size_t operand)
    {
        switch (i.code) {
        case opcode::list: return push_sequence(expression_kind::list, operand);
        case opcode::tuple: return push_sequence(expression_kind::tuple, operand);
        case opcode::dict: return push_dict(operand);
        case opcode::subscript:
            --top_;
            top_[-1] = subscript(in_, top_[-1], top_[0]);
            return;
        case opcode::attribute: return push_attribute(of_.constants[operand]);
        case opcode::function: return call(of_.calls[operand], false);
        default: return call(of_.calls[operand], true);
        }
    }

    std::size_t keep_if(bool decides, std::size_t jump)
    {
        if (is_true(in_, top_[-1]) == decides) return jump;
        --top_;
        return 0;
    }

    std::size_t compare_chained(const instruction& i)
    {
        const expression_value right = *--top_;
        const bool goes_on = compare(in_, static_cast<comparison>(i.variant), top_[-1], right);
        top_[-1] = goes_on ? right : expression_value::boolean(false);
        return goes_on ? 0 : static_cast<std::size_t>(i.operand);
    }

    void push_name(const expression_name& name)
    {
        if (!scope_.find(name, *top_, in_.arena)) refuse("NameError", "name '" + name.text + "' is not defined");
        ++top_;
    }

    void push_sequence(expression_kind kind, std::size_t size)
    {
        expression_value* const items = in_.arena.allocate_values(size);
        top_ -= size;
        std::copy_n(top_, size, items);
        *top_++ = expression_value::container(kind, items, size);
    }

    void push_dict(std::size_t size)
    {
        distinct_items dict{in_, size, true};
        top_ -= 2 * size;
        for (std::size_t i = 0; i < size; ++i) dict.put(top_[2 * i], top_[2 * i + 1]);
        *top_++ = dict.finish();
    }

    void push_attribute(const expression_value& name)
    {
        expression_value found;
        const expression_value& of = top_[-1];
        if (!of.is(expression_kind::dict) || !find_member(in_, of, name, found))
            refuse("AttributeError", "'" + type_name(of) + "' object has no attribute '" +
                                         std::string{name.as_text()} + "'");
        top_[-1] = found;
    }

    void call(const call_site& site, bool is_method)
    {
        const std::size_t count = site.positional + site.names.size();
        expression_value* const first = top_ - count;
        const arguments with{{first, site.positional}, {first + site.positional, site.names.size()}, site.names};
        expression_value* const result = is_method ? first - 1 : first;
        *result = is_method ? call_method(in_, site.callee, *result, with) : call_function(in_, site.callee, with);
        top_ = result + 1;
    }

    const program& of_;
    const expression_scope& scope_;
    evaluation& in_;
    expression_value* top_;
};

}  // namespace

expression_value run(const program& of, const expression_scope& scope, evaluation& in, std::size_t& at)
{
    // Not initialised: each place is written before it is read.
    alignas(expression_value) std::byte small[stack_on_stack * sizeof(expression_value)];
    const bool fits = of.stack_max <= stack_on_stack;
    expression_value* const stack =
        fits ? reinterpret_cast<expression_value*>(small) : in.arena.allocate_values(of.stack_max);
    return evaluator{of, scope, in, stack}.run(at);
}

}  // namespace weft::expression_detail
