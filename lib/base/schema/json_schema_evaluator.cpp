#include "json_schema_evaluator.hpp"

#include <weft/base/utf8.hpp>

#include "base/json/json_number.hpp"
#include "json_schema_words.hpp"

#include <utility>

namespace weft::schema_detail {

namespace {

std::string_view view_of(const boost::json::string& text) { return {text.data(), text.size()}; }

}  // namespace

schema_evaluator::schema_evaluator(const schema_program& program)
    : program_{program}, budget_{program.limits.steps_max, program.limits.nesting_max}
{
}

bool schema_evaluator::fits(schema_index schema, const value& what, const json_path& at)
{
    schema_findings found;
    check(schema, what, at, found);
    return found.is_valid;
}

bool schema_evaluator::has_type(const value& what, type_set types) const noexcept
{
    switch (what.kind()) {
    case boost::json::kind::null: return types & null_type;
    case boost::json::kind::bool_: return types & boolean_type;
    case boost::json::kind::int64:
    case boost::json::kind::uint64: return types & integer_type;
    case boost::json::kind::double_:
        return (types & number_type) || ((types & integer_type) && is_whole(what));
    case boost::json::kind::string: return types & string_type;
    case boost::json::kind::array: return types & array_type;
    case boost::json::kind::object: break;
    }
    return types & object_type;
}

void schema_evaluator::check(schema_index schema, const value& what, const json_path& at, schema_findings& to)
{
    spend(budget_);
    const nesting_guard deeper{budget_};
    const schema_node& node = program_.nodes[schema];
    if (node.refuses_all)
        return to.add(at, [] { return std::string{"must not be there: the schema allows no value"}; });
    if (!has_type(what, node.types)) {
        to.add(at, [&] { return "expected " + description_of(node.types) + ", got " + description_of(what); });
        return;  // whatever else the schema says would be wrong for the same reason
    }
    if (node.constant || node.choices) check_choices(node, what, at, to);
    if (node.numbers && what.is_number()) check_number(*node.numbers, what, at, to);
    if (node.texts && what.is_string()) check_text(*node.texts, what, at, to);
    if (node.arrays && what.is_array() && !to.is_done()) check_array(*node.arrays, what.get_array(), at, to);
    if (node.objects && what.is_object() && !to.is_done()) check_object(*node.objects, what, at, to);
    if (!to.is_done()) check_combinations(node, what, at, to);
}

void schema_evaluator::check_choices(const schema_node& node, const value& what, const json_path& at,
                                     schema_findings& to)
{
    if (node.constant && !are_equal(what, *node.constant, budget_))
        to.add(at, [&] { return "must be " + short_text_of(*node.constant) + ", got " + description_of(what); });
    if (!node.choices) return;
    for (const value& choice : *node.choices)
        if (are_equal(what, choice, budget_)) return;
    to.add(at, [&] { return "is none of " + list_of(*node.choices) + ": got " + description_of(what); });
}

void schema_evaluator::check_number(const number_rules& rules, const value& what, const json_path& at,
                                    schema_findings& to) const
{
    const auto require = [&](bool holds, std::string_view must_be, const value* bound) {
        if (!holds)
            to.add(at, [&] {
                return "must be " + std::string{must_be} + ' ' + short_text_of(*bound) + ", got " + short_text_of(what);
            });
    };
    if (rules.min) require(compare_numbers(what, *rules.min) >= 0, "at least", rules.min);
    if (rules.max) require(compare_numbers(what, *rules.max) <= 0, "at most", rules.max);
    if (rules.above) require(compare_numbers(what, *rules.above) > 0, "more than", rules.above);
    if (rules.below) require(compare_numbers(what, *rules.below) < 0, "less than", rules.below);
    if (rules.multiple_of) require(is_multiple(what, *rules.multiple_of), "a multiple of", rules.multiple_of);
}

void schema_evaluator::check_text(const text_rules& rules, const value& what, const json_path& at, schema_findings& to)
{
    const std::string_view text = view_of(what.get_string());
    const bool has_bounds = rules.length.min > 0 || rules.length.max < count_range{}.max;
    if (has_bounds) {
        spend(budget_, text.size() / 64);
        const std::uint64_t length = count_code_points(text);
        if (length < rules.length.min)
            to.add(at, [&] {
                return "needs at least " + counted(rules.length.min, "character") + ", has " + std::to_string(length);
            });
        if (length > rules.length.max)
            to.add(at, [&] {
                return "may have at most " + counted(rules.length.max, "character") + ", has " + std::to_string(length);
            });
    }
    if (rules.pattern && !is_found(*rules.pattern, text))
        to.add(at, [&] {
            return "does not match the pattern '" + rules.pattern->text() + "', got " + description_of(what);
        });
}

bool schema_evaluator::is_found(const schema_pattern& pattern, std::string_view text)
{
    spend(budget_, 1 + text.size() / 4);  // it is widened first
    switch (pattern.found_in(text, budget_.steps_left)) {
    case schema_pattern::answer::no: return false;
    case schema_pattern::answer::yes: return true;
    case schema_pattern::answer::gave_up: break;
    }
    throw work_exceeded{"a pattern takes too long to find out whether it matches"};
}

}  // namespace weft::schema_detail
