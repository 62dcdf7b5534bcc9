#include "expression_evaluation.hpp"

namespace weft::expression_detail {

void refuse(std::string_view error, const std::string& what)
{
    throw evaluation_error{std::string{error} + ": " + what};
}

void evaluation::refuse_steps() const
{
    refuse("TimeoutError", "the expression takes more than " + std::to_string(steps_max) +
                               " steps: simplify it, or compute the value in a node");
}

std::string type_name(const expression_value& value)
{
    switch (value.kind()) {
    case expression_kind::none: return "NoneType";
    case expression_kind::boolean: return "bool";
    case expression_kind::integer:
    case expression_kind::big_integer: return "int";
    case expression_kind::real: return "float";
    case expression_kind::text: return "str";
    case expression_kind::list: return "list";
    case expression_kind::tuple: return "tuple";
    case expression_kind::set: return "set";
    case expression_kind::dict: return "dict";
    case expression_kind::keys: return "dict_keys";
    case expression_kind::values: return "dict_values";
    case expression_kind::items: return "dict_items";
    }
    return "object";
}

expression_value whole(evaluation& in, const expression_value& value)
{
    if (value.where() != expression_value::place::mapping) return value;
    const expression_mapping& mapping = value.as_mapping();
    if (const boost::json::value* known = in.arena.find(&mapping)) return expression_value::json(*known);
    return in.arena.hold(mapping.to_json(), &mapping);
}

bool is_true(evaluation& in, const expression_value& value)
{
    switch (value.kind()) {
    case expression_kind::none: return false;
    case expression_kind::boolean:
    case expression_kind::integer: return value.as_integer() != 0;
    case expression_kind::big_integer: return true;
    case expression_kind::real: return value.as_real() != 0;
    default: return whole(in, value).size() != 0;
    }
}

}  // namespace weft::expression_detail
