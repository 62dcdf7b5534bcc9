#include "spec_compiler.hpp"

#include "edge_compiler.hpp"
#include "entry_point_checks.hpp"
#include "goal_compiler.hpp"
#include "key_compiler.hpp"
#include "node_compiler.hpp"
#include "server_checks.hpp"

#include <charconv>
#include <utility>
#include <variant>

namespace weft::spec_detail {

namespace {

/** The text between the first two quotes. */
std::string_view quoted_in(std::string_view text)
{
    const std::size_t begin = text.find('\'');
    const std::size_t end = begin == text.npos ? text.npos : text.find('\'', begin + 1);
    return end == text.npos ? std::string_view{} : text.substr(begin + 1, end - begin - 1);
}

/** Reports a mistake of the builder where it is in the file. Its texts begin with what they are about. */
void place(compilation& in, const std::string& text)
{
    const json_path nodes{in.at, "nodes"};
    const json_path edges{in.at, "edges"};
    std::size_t index = 0;
    const bool is_of_edge = text.starts_with("edge[") &&
                            std::from_chars(text.data() + 5, text.data() + text.size(), index).ec == std::errc{} &&
                            index < in.edge_origins.size();
    if (is_of_edge) {
        const compilation::edge_origin& origin = in.edge_origins[index];
        if (!origin.is_route) return in.mistake(json_path{edges, origin.index}, text);
        const json_path node{nodes, origin.index};
        const json_path settings{node, "settings"};
        const json_path routes{settings, "routes"};
        return in.mistake(json_path{routes, origin.route}, text);
    }
    if (text.starts_with("no edge begins at")) return in.mistake(edges, text);
    const std::string_view name = quoted_in(text);
    if (text.starts_with("fan_")) {
        const json_path fan_outs{in.at, "fan_outs"};
        if (const auto known = in.fan_outs.find(name); known != in.fan_outs.end())
            return in.mistake(json_path{fan_outs, known->second}, text);
    }
    if (text.starts_with("edge_llm"))
        if (const auto known = in.decisions.find(name); known != in.decisions.end())
            return in.mistake(json_path{edges, known->second}, text);
    if (const auto node = in.nodes.find(name); text.starts_with("node") && node != in.nodes.end())
        return in.mistake(json_path{nodes, node->second}, text);
    in.mistake(in.at, text);
}

}  // namespace

std::optional<graph> compile_spec(const graph_spec& spec, const json_path& at, compiler_surroundings around,
                                  bool has_all_names)
{
    compilation in{spec, at, around, has_all_names};
    if (spec.name.empty() && has_all_names) in.mistake(json_path{at, "name"}, "the graph has no name: give it one");
    in.builder.describe(spec.description).routing(spec.routing).conflict(spec.conflict);
    collect_nodes(in);
    add_keys(in);
    add_memory(in);
    add_nodes(in);
    add_edges(in);
    add_fan_outs(in);
    add_goal(in);
    check_limits(in);
    check_servers(in);
    check_entry_points(in);
    if (in.has_mistakes() || !has_all_names) return std::nullopt;
    auto built = in.builder.try_build();
    if (const auto* mistakes = std::get_if<std::vector<std::string>>(&built)) {
        for (const std::string& text : *mistakes) place(in, text);
        return std::nullopt;
    }
    return std::get<graph>(std::move(built));
}

}  // namespace weft::spec_detail
