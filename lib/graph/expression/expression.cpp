#include <weft/graph/expression.hpp>

#include "expression_compare.hpp"
#include "expression_container.hpp"
#include "expression_integers.hpp"
#include "expression_program.hpp"
#include "expression_text.hpp"

#include <weft/base/error.hpp>
#include <weft/base/text/text_position.hpp>

#include <algorithm>
#include <exception>
#include <limits>

namespace weft {

namespace {

using expression_detail::evaluation;

constexpr int json_depth = 200;

boost::json::value json_of(evaluation& in, const expression_value& from, int depth);

boost::json::value json_of_dict(evaluation& in, const expression_value& dict, int depth)
{
    boost::json::object object;
    for (std::size_t i = 0; i < dict.size(); ++i)
        object.insert_or_assign(to_text(in, expression_detail::item_at(dict, i)),
                                json_of(in, expression_detail::member_at(dict, i), depth + 1));
    return object;
}

boost::json::value json_of_integer(const expression_value& from)
{
    if (expression_detail::is_small(from)) return from.as_integer();
    const auto wide = expression_detail::to_wide(from);
    if (wide > 0 && wide <= std::numeric_limits<std::uint64_t>::max()) return static_cast<std::uint64_t>(wide);
    const double largest = std::numeric_limits<double>::max();
    if (expression_detail::compare_integer_real(from, largest) > 0) return largest;
    if (expression_detail::compare_integer_real(from, -largest) < 0) return -largest;
    return expression_detail::to_real(from);
}

boost::json::value json_of(evaluation& in, const expression_value& from, int depth)
{
    if (depth > json_depth) expression_detail::refuse("RecursionError", "a value is nested too deep for JSON");
    switch (from.kind()) {
    case expression_kind::none: return nullptr;
    case expression_kind::boolean: return from.as_integer() != 0;
    case expression_kind::integer:
    case expression_kind::big_integer: return json_of_integer(from);
    case expression_kind::real: return from.as_real();
    case expression_kind::text: return boost::json::value(from.as_text());
    default: break;
    }
    const expression_value container = whole(in, from);
    if (container.is(expression_kind::dict)) return json_of_dict(in, container, depth);
    boost::json::array array;
    for (std::size_t i = 0; i < container.size(); ++i)
        array.push_back(json_of(in, expression_detail::item_at(container, i), depth + 1));
    return array;
}

/** Calls `f` with an evaluation of its own. */
template <class F>
auto on_a_copy(F f)
{
    constexpr std::size_t unbounded = std::numeric_limits<std::size_t>::max();
    expression_arena arena{unbounded};
    evaluation in{arena, unbounded, unbounded};
    return f(in);
}

}  // namespace

std::string expression_result::text() const
{
    if (has_error()) return error_;
    return on_a_copy([this](evaluation& in) {
        try {
            return represent(in, value_);
        } catch (const expression_detail::evaluation_error& e) {
            return e.text;
        }
    });
}

boost::json::value expression_result::to_json() const
{
    return on_a_copy([this](evaluation& in) -> boost::json::value {
        try {
            return json_of(in, value_, 0);
        } catch (const expression_detail::evaluation_error& e) {
            throw weft::error{errc::unexpected_json, "value of an expression", e.text};
        }
    });
}

expression::expression(std::shared_ptr<const expression_detail::program> compiled) noexcept
    : program_{std::move(compiled)}
{
}

expression expression::compile(std::string_view text, const expression_limits& limits)
{
    return expression{
        std::make_shared<const expression_detail::program>(expression_detail::compile_program(text, limits))};
}

expression_result expression::evaluate(const expression_scope& scope) const
{
    const expression_limits& limits = program_->limits;
    expression_result result{limits.memory_bytes_max};
    result.program_ = program_;
    std::size_t at = 0;
    const auto refuse = [&](const std::string& what) {
        const std::size_t last = std::min(at, program_->code.size() - 1);
        result.error_ = position_in(program_->text, program_->code[last].offset).text() + ": " + what;
        result.value_ = {};
        result.holds_ = false;
    };
    try {
        evaluation in{result.arena_, limits.steps_max, limits.steps_max};
        result.value_ = run(*program_, scope, in, at);
        result.holds_ = is_true(in, result.value_);
    } catch (const expression_detail::evaluation_error& e) {
        refuse(e.text);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& e) {  // a state value that does not convert to JSON, or a scope's own
        refuse(e.what());
    }
    return result;
}

const std::string& expression::text() const noexcept { return program_->text; }

std::span<const expression_name> expression::names() const noexcept { return program_->names; }

}  // namespace weft
