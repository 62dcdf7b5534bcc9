#include "compilation.hpp"

#include "spec_condition.hpp"

#include <utility>

namespace weft::spec_detail {

compilation::compilation(const graph_spec& from, const json_path& place, compiler_surroundings surroundings,
                         bool all_names)
    : spec{from},
      at{place},
      around{surroundings},
      has_all_names{all_names},
      mistakes_before{surroundings.mistakes.count()},
      builder{from.name}
{
}

void compilation::missing(const json_path& where, std::string_view member, std::string text)
{
    if (!around.mistakes.has_any_in(json_path{where, member})) mistake(where, std::move(text));
}

bool compilation::may_be_key(const std::string& name) const
{
    return layout.find(name) != state_layout::none || !has_all_names || declared_keys.contains(name);
}

void compilation::check_key(const std::string& name, const json_path& where)
{
    if (!may_be_key(name))
        mistake(where, "there is no key '" + name + "'" + known_names(around.mistakes, name, key_names));
}

void compilation::check_keys(const std::vector<std::string>& names, const json_path& where)
{
    for (std::size_t i = 0; i < names.size(); ++i) check_key(names[i], json_path{where, i});
}

void compilation::check_mapping(const std::map<std::string, std::string>& map, const json_path& where)
{
    for (const auto& [target, source] : map) {
        const json_path member{where, target};
        if (!may_be_key(target))
            around.mistakes.add_at_name(member, "there is no key '" + target + "'" +
                                                    known_names(around.mistakes, target, key_names));
        check_key(source, member);
        // Types are compared only where both keys are there: another mistake would follow from the first.
        const std::uint32_t to = layout.find(target);
        const std::uint32_t from = layout.find(source);
        if (to != state_layout::none && from != state_layout::none &&
            layout[to].type->value != layout[from].type->value)
            mistake(member, "'" + target + "' and '" + source + "' have values of different types");
    }
}

void compilation::check_node(const std::string& name, const json_path& where, bool may_be_end)
{
    // `start` and `end` are names in files that no node has.
    if (nodes.contains(name) || (may_be_end && name == weft::end)) return;
    if (name == weft::start) return mistake(where, "nothing leads to the start: name a node");
    if (name == weft::end) return mistake(where, "nothing goes on at the end: name a node");
    if (has_all_names)
        mistake(where, "there is no node '" + name + "'" + known_names(around.mistakes, name, node_names));
}

std::optional<bound_expression> compilation::bind(const std::string& text, const json_path& where)
{
    return bind_expression(text, layout, where, around.mistakes);
}

edge_predicate compilation::condition(const std::string& text, const json_path& where)
{
    std::optional<bound_expression> bound = bind(text, where);
    return bound ? to_condition(std::move(*bound)) : edge_predicate{};
}

void compilation::add_condition(std::string_view from, std::string_view to, const std::string& text,
                                const json_path& where, edge_options options)
{
    if (const auto bound = bind_expression(text, layout, where, around.mistakes, expression_place::after_node))
        builder.edge_when(from, to, bound->source(), std::move(options));
    else
        builder.edge_when(from, to, edge_predicate{}, std::move(options));
}

}  // namespace weft::spec_detail
