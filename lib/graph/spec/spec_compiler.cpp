#include "spec_compiler.hpp"

#include "spec_condition.hpp"

#include <charconv>
#include <utility>

namespace weft::spec_detail {

spec_compiler::spec_compiler(const graph_spec& spec, const json_path& at, compiler_surroundings around, options how)
    : spec_{spec}, at_{at}, around_{around}, how_{how}, mistakes_before_{around.mistakes.count()}, builder_{spec.name}
{
}

std::optional<graph> spec_compiler::compile()
{
    if (spec_.name.empty() && how_.has_all_names) mistake(json_path{at_, "name"}, "the graph has no name: give it one");
    builder_.describe(spec_.description).routing(spec_.routing).conflict(spec_.conflict);
    collect_nodes();
    add_keys();
    add_conversation();
    add_memory();
    add_nodes();
    add_edges();
    add_fan_outs();
    add_goal();
    check_limits();
    check_mcp();
    if (has_mistakes() || !how_.has_all_names) return std::nullopt;
    return build();
}

void spec_compiler::mistake(const json_path& at, std::string text)
{
    around_.mistakes.add(at, std::move(text));
}

std::optional<bound_expression> spec_compiler::bind(const std::string& text, const json_path& at)
{
    return bind_expression(text, layout_, at, around_.mistakes);
}

edge_predicate spec_compiler::condition(const std::string& text, const json_path& at)
{
    std::optional<bound_expression> bound = bind(text, at);
    return bound ? to_condition(std::move(*bound)) : edge_predicate{};
}

/** Adds a conditional edge; one whose condition is a mistake stands for the place of the others. */
void spec_compiler::add_condition(std::string_view from, std::string_view to, const std::string& text,
                                  const json_path& at, edge_options options)
{
    if (const auto bound = bind_expression(text, layout_, at, around_.mistakes, expression_place::after_node))
        builder_.edge_when(from, to, bound->source(), std::move(options));
    else
        builder_.edge_when(from, to, edge_predicate{}, std::move(options));
}

std::optional<graph> spec_compiler::build()
{
    auto built = builder_.try_build();
    if (const auto* mistakes = std::get_if<std::vector<std::string>>(&built)) {
        for (const std::string& text : *mistakes) place(text);
        return std::nullopt;
    }
    return std::get<graph>(std::move(built));
}

namespace {

/** The text between the first two quotes. */
std::string_view quoted_in(std::string_view text)
{
    const std::size_t begin = text.find('\'');
    const std::size_t end = begin == text.npos ? text.npos : text.find('\'', begin + 1);
    return end == text.npos ? std::string_view{} : text.substr(begin + 1, end - begin - 1);
}

}  // namespace

/** Says a mistake of the builder where it is in the file. Its texts begin with what they are about. */
void spec_compiler::place(const std::string& text)
{
    const json_path nodes{at_, "nodes"};
    const json_path edges{at_, "edges"};
    std::size_t index = 0;
    const bool is_of_edge = text.starts_with("edge[") &&
                            std::from_chars(text.data() + 5, text.data() + text.size(), index).ec == std::errc{} &&
                            index < edge_origins_.size();
    if (is_of_edge) {
        const edge_origin& origin = edge_origins_[index];
        if (!origin.is_route) return mistake(json_path{edges, origin.index}, text);
        const json_path node{nodes, origin.index};
        const json_path settings{node, "settings"};
        const json_path routes{settings, "routes"};
        return mistake(json_path{routes, origin.route}, text);
    }
    if (text.starts_with("no edge begins at")) return mistake(edges, text);
    const std::string_view name = quoted_in(text);
    if (text.starts_with("fan_")) {
        const json_path fan_outs{at_, "fan_outs"};
        if (const auto known = fan_outs_.find(name); known != fan_outs_.end())
            return mistake(json_path{fan_outs, known->second}, text);
    }
    if (text.starts_with("edge_llm"))
        if (const auto known = decisions_.find(name); known != decisions_.end())
            return mistake(json_path{edges, known->second}, text);
    if (const auto node = nodes_.find(name); text.starts_with("node") && node != nodes_.end())
        return mistake(json_path{nodes, node->second}, text);
    mistake(at_, text);
}

}  // namespace weft::spec_detail
