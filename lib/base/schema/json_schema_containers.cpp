#include "json_schema_evaluator.hpp"
#include "json_schema_words.hpp"

#include <weft/base/suggestion.hpp>

#include <unordered_map>
#include <utility>

namespace weft::schema_detail {

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
