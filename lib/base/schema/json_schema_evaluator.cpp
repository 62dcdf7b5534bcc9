#include "json_schema_evaluator.hpp"

#include "base/json/json_number.hpp"
#include "json_schema_text.hpp"

#include <weft/base/suggestion.hpp>
#include <weft/base/utf8.hpp>

#include <unordered_map>
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

namespace {

// Enough to see what was meant; a union of fifty types would fill the message.
constexpr std::size_t alternatives_told = 4;

}  // namespace

void schema_evaluator::check_combinations(const schema_node& node, const value& what, const json_path& at,
                                          schema_findings& to)
{
    for (const schema_index part : node.all_of) {
        check(part, what, at, to);
        if (to.is_done()) return;
    }
    if (!node.any_of.empty()) check_any(node, what, at, to);
    if (!node.one_of.empty()) check_one(node, what, at, to);
    if (node.forbidden != no_schema && fits(node.forbidden, what, at))
        to.add(at, [&] { return "fits a schema that is forbidden (not): got " + description_of(what); });
    if (node.condition == no_schema || (node.then == no_schema && node.otherwise == no_schema)) return;
    const schema_index next = fits(node.condition, what, at) ? node.then : node.otherwise;
    if (next != no_schema) check(next, what, at, to);
}

void schema_evaluator::check_any(const schema_node& node, const value& what, const json_path& at, schema_findings& to)
{
    for (const schema_index alternative : node.any_of)
        if (fits(alternative, what, at)) return;
    if (node.any_of.size() == 1) return check(node.any_of.front(), what, at, to);
    to.add(at, [&] { return "fits none of " + reasons(node.any_of, what, at); });
}

void schema_evaluator::check_one(const schema_node& node, const value& what, const json_path& at, schema_findings& to)
{
    std::size_t first = node.one_of.size();
    for (std::size_t i = 0; i < node.one_of.size(); ++i) {
        if (!fits(node.one_of[i], what, at)) continue;
        if (first == node.one_of.size()) {
            first = i;
            continue;
        }
        return to.add(at, [&] {
            return "fits more than one of " + counted(node.one_of.size(), "alternative") + ", number " +
                   std::to_string(first + 1) + " and number " + std::to_string(i + 1) + ", and must fit exactly one";
        });
    }
    if (first < node.one_of.size()) return;
    if (node.one_of.size() == 1) return check(node.one_of.front(), what, at, to);
    to.add(at, [&] { return "fits none of " + reasons(node.one_of, what, at); });
}

/** `2 alternatives: expected a string, got null; $.a: expected …`: the first mistake of each. */
std::string schema_evaluator::reasons(const std::vector<schema_index>& alternatives, const value& what,
                                      const json_path& at)
{
    std::string text = counted(alternatives.size(), "alternative");
    const std::string here = at.text();
    for (std::size_t i = 0; i < alternatives.size() && i < alternatives_told; ++i) {
        schema_findings found{.max = 1};
        check(alternatives[i], what, at, found);
        text.append(i == 0 ? ": " : "; ");
        for (const schema_mistake& mistake : found.mistakes)
            text.append(mistake.path == here ? "" : mistake.path + ": ").append(mistake.text);
    }
    return alternatives.size() > alternatives_told ? text + "; …" : text;
}

namespace {

std::string_view name_of(const boost::json::key_value_pair& member)
{
    return {member.key().data(), member.key().size()};
}

std::string in_quotes(std::string_view name)
{
    const boost::json::value text(boost::json::string_view{name.data(), name.size()});
    return short_text_of(text);
}

/** ` (did you mean 'city'?)` among the properties that a schema names. */
std::string meant(std::string_view wrong, const std::vector<named_schema>& properties)
{
    constexpr std::size_t compared_max = 200;
    std::vector<std::string_view> known;
    for (std::size_t i = 0; i < properties.size() && i < compared_max; ++i) known.push_back(properties[i].name);
    return did_you_mean(wrong, known);
}

void check_count(std::size_t count, const count_range& range, std::string_view what, const json_path& at,
                 schema_findings& to)
{
    if (count < range.min)
        to.add(at, [&] { return "needs at least " + counted(range.min, what) + ", has " + std::to_string(count); });
    if (count > range.max)
        to.add(at, [&] { return "may have at most " + counted(range.max, what) + ", has " + std::to_string(count); });
}

}  // namespace

void schema_evaluator::check_array(const array_rules& rules, const boost::json::array& what, const json_path& at,
                                   schema_findings& to)
{
    check_count(what.size(), rules.count, "item", at, to);
    const std::size_t given = std::min(rules.prefix.size(), what.size());
    for (std::size_t i = 0; i < given && !to.is_done(); ++i) check(rules.prefix[i], what[i], json_path{at, i}, to);
    if (rules.rest != no_schema)
        for (std::size_t i = given; i < what.size() && !to.is_done(); ++i)
            check(rules.rest, what[i], json_path{at, i}, to);
    if (rules.contained != no_schema && !to.is_done()) check_contained(rules, what, at, to);
    if (rules.is_unique && !to.is_done()) check_unique(what, at, to);
}

void schema_evaluator::check_contained(const array_rules& rules, const boost::json::array& what, const json_path& at,
                                       schema_findings& to)
{
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < what.size(); ++i) count += fits(rules.contained, what[i], json_path{at, i}) ? 1 : 0;
    if (count < rules.contained_count.min)
        to.add(at, [&] {
            return "needs at least " + counted(rules.contained_count.min, "item") +
                   " that fits what it must contain (contains), has " + std::to_string(count);
        });
    if (count > rules.contained_count.max)
        to.add(at, [&] {
            return "may have at most " + counted(rules.contained_count.max, "item") +
                   " that fits what it must contain (contains), has " + std::to_string(count);
        });
}

void schema_evaluator::check_unique(const boost::json::array& what, const json_path& at, schema_findings& to)
{
    if (what.size() < 2) return;
    std::unordered_multimap<std::size_t, std::size_t> by_hash;
    for (std::size_t i = 0; i < what.size(); ++i) {
        const std::size_t hash = hash_of(what[i], budget_);
        const auto [begin, end] = by_hash.equal_range(hash);
        for (auto other = begin; other != end; ++other) {
            if (!are_equal(what[i], what[other->second], budget_)) continue;
            const std::size_t first = other->second;
            to.add(json_path{at, i}, [&] {
                return "is the same as item " + std::to_string(first) + ", and the items must differ: got " +
                       description_of(what[i]);
            });
            break;
        }
        if (to.is_done()) return;
        by_hash.emplace(hash, i);
    }
}

void schema_evaluator::check_object(const object_rules& rules, const value& what, const json_path& at,
                                    schema_findings& to)
{
    const boost::json::object& object = what.get_object();
    spend(budget_, rules.required.size() + rules.properties.size());
    for (const std::string_view name : rules.required)
        if (!object.contains(name)) to.add(at, [&] { return "lacks the member " + in_quotes(name); });
    for (const named_schema& property : rules.properties) {
        if (to.is_done()) return;
        if (const value* const member = object.if_contains(property.name))
            check(property.schema, *member, json_path{at, property.name}, to);
    }
    if (!rules.patterns.empty() || rules.additional != no_schema || rules.names != no_schema)
        for (const boost::json::key_value_pair& member : object) {
            if (to.is_done()) return;
            check_member(rules, member, at, to);
        }
    check_count(object.size(), rules.count, "member", at, to);
    if (!rules.dependencies.empty() && !to.is_done()) check_dependencies(rules, what, at, to);
}

/** What is not said by name: patterns, what is additional, and the name itself. */
void schema_evaluator::check_member(const object_rules& rules, const boost::json::key_value_pair& member,
                                    const json_path& at, schema_findings& to)
{
    spend(budget_);
    const std::string_view name = name_of(member);
    const json_path path{at, name};
    bool is_known = rules.known && rules.known->contains(name);
    for (const pattern_schema& pattern : rules.patterns) {
        if (!is_found(pattern.pattern, name)) continue;
        is_known = true;
        check(pattern.schema, member.value(), path, to);
    }
    if (!is_known && rules.additional != no_schema) {
        if (program_.nodes[rules.additional].refuses_all)
            to.add(at, [&] { return "has the unknown member " + in_quotes(name) + meant(name, rules.properties); });
        else check(rules.additional, member.value(), path, to);
    }
    if (rules.names == no_schema) return;
    const value as_value(boost::json::string_view{name.data(), name.size()});
    if (!fits(rules.names, as_value, path))
        to.add(at, [&] {
            schema_findings found{.max = 1};
            check(rules.names, as_value, path, found);
            return "has a member with a name that is not allowed, " + in_quotes(name) + ": " +
                   (found.mistakes.empty() ? "" : found.mistakes.front().text);
        });
}

void schema_evaluator::check_dependencies(const object_rules& rules, const value& what, const json_path& at,
                                          schema_findings& to)
{
    const boost::json::object& object = what.get_object();
    for (const dependency& d : rules.dependencies) {
        if (to.is_done()) return;
        if (!object.contains(d.member)) continue;
        spend(budget_, 1 + d.required.size());
        for (const std::string_view name : d.required)
            if (!object.contains(name))
                to.add(at, [&] {
                    return "lacks the member " + in_quotes(name) + ", which " + in_quotes(d.member) + " needs";
                });
        if (d.schema != no_schema) check(d.schema, what, at, to);
    }
}

}  // namespace weft::schema_detail
