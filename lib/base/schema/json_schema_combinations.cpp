#include "json_schema_evaluator.hpp"

#include "json_schema_words.hpp"

namespace weft::schema_detail {

namespace {

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

}  // namespace weft::schema_detail
