#include "analysis_rules.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <map>

namespace weft {

namespace {

using graph_detail::analysed;

void analyse_into(const analysed& in, std::vector<finding>& found)
{
    graph_detail::find_endless_cycles(in, found);
    graph_detail::find_client_facing_branches(in, found);
    graph_detail::find_write_conflicts(in, found);
    graph_detail::find_unused_edges(in, found);
    graph_detail::find_dead_ends(in, found);
    for (node_index n = 1; n < in.what.size(); ++n)
        if (const subgraph* const inside = in.what.node(n).body->inner())
            analyse_into({inside->what(), in.name(n) + "/"}, found);
}

std::string_view level_of(severity level)
{
    return level == severity::note ? "note" : level == severity::warning ? "warning" : "error";
}

}  // namespace

std::string_view name_of(severity level) noexcept { return level_of(level); }

std::vector<finding> analyse(const graph& what)
{
    std::vector<finding> found;
    analyse_into({what, ""}, found);
    std::vector<finding> sorted;
    for (const severity level : {severity::error, severity::warning, severity::note})
        for (finding& f : found)
            if (f.level == level) sorted.push_back(std::move(f));
    return sorted;
}

std::string to_text(const finding& found)
{
    std::string text{name_of(found.level)};
    text.append(" ").append(found.rule).append(": ").append(found.message);
    if (!found.witness.empty()) {
        text.append("\n  way: ");
        for (std::size_t i = 0; i < found.witness.size(); ++i) text.append(i ? " -> " : "").append(found.witness[i]);
    }
    return text.append("\n  remedy: ").append(found.remedy);
}

boost::json::object to_sarif(std::span<const finding> findings, std::string_view file)
{
    std::map<std::string_view, std::size_t> rules;
    boost::json::array described;
    boost::json::array results;
    for (const finding& f : findings) {
        const auto [rule, is_new] = rules.emplace(f.rule, rules.size());
        if (is_new) described.push_back({{"id", f.rule}, {"help", {{"text", f.remedy}}}});
        std::string message = f.message;
        if (!f.witness.empty()) {
            message += " (";
            for (std::size_t i = 0; i < f.witness.size(); ++i) message.append(i ? " -> " : "").append(f.witness[i]);
            message += ")";
        }
        boost::json::object result{{"ruleId", f.rule},
                                   {"ruleIndex", rule->second},
                                   {"level", level_of(f.level)},
                                   {"message", {{"text", message + ". " + f.remedy}}}};
        if (!file.empty()) {
            const boost::json::object physical{{"artifactLocation", {{"uri", file}}}};
            result["locations"] = boost::json::array{boost::json::object{{"physicalLocation", physical}}};
        }
        results.push_back(std::move(result));
    }
    const boost::json::object driver{{"name", "weft"}, {"rules", std::move(described)}};
    boost::json::object run{{"tool", {{"driver", driver}}}, {"results", std::move(results)}};
    return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs", boost::json::array{std::move(run)}}};
}

}  // namespace weft
