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
    graph_detail::find_repeated_nodes(in, found);
    graph_detail::find_missing_otherwise(in, found);
    graph_detail::find_unused_edges(in, found);
    graph_detail::find_unanswered_failures(in, found);
    graph_detail::find_dead_ends(in, found);
    graph_detail::find_streams_read_whole(in, found);
    for (node_index n = 1; n < in.what.size(); ++n)
        if (const subgraph* const inside = in.what.node(n).body->inner())
            analyse_into({inside->graph, in.name(n) + "/"}, found);
}

std::string_view level_of(severity level)
{
    return level == severity::note ? "note" : level == severity::warning ? "warning" : "error";
}

boost::json::object sarif_rule(const finding& found)
{
    boost::json::object rule{{"id", found.rule}};
    if (!found.remedy.empty()) rule["help"] = boost::json::object{{"text", found.remedy}};
    return rule;
}

std::string sarif_message(const finding& found)
{
    std::string message = found.message;
    for (std::size_t i = 0; i < found.witness.size(); ++i)
        message.append(i ? " -> " : " (").append(found.witness[i]);
    if (!found.witness.empty()) message += ")";
    return found.remedy.empty() ? message : message + ". " + found.remedy;
}

/** A path as the URI that SARIF wants: without what has a meaning there. */
std::string uri_of(std::string_view file)
{
    static constexpr std::string_view digits = "0123456789ABCDEF";
    std::string uri;
    for (const char c : file) {
        const auto byte = static_cast<unsigned char>(c);
        const bool is_plain = byte > 0x20 && byte < 0x7F && std::string_view{"\"#%:<>?[\\]^`{|}"}.find(c) == uri.npos;
        if (is_plain) uri.push_back(c);
        else uri.append({'%', digits[byte >> 4], digits[byte & 15]});
    }
    return uri;
}

boost::json::object sarif_place(const located_finding& found)
{
    boost::json::object place{{"artifactLocation", {{"uri", uri_of(found.file)}}}};
    // A file without a place in it is a result of its own in SARIF: viewers show it at the top.
    if (found.at)
        place["region"] = boost::json::object{{"startLine", found.at->line}, {"startColumn", found.at->column}};
    return place;
}

}  // namespace

std::string_view name_of(severity level) noexcept { return level_of(level); }

std::vector<finding> analyse(const graph& what)
{
    std::vector<finding> found;
    analyse_into({what, ""}, found);
    std::vector<finding> sorted;
    // Stable within a level: findings of one rule stay in the order of the nodes.
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

boost::json::object to_sarif(std::span<const located_finding> findings)
{
    std::map<std::string_view, std::size_t> rules;
    boost::json::array described;
    boost::json::array results;
    for (const located_finding& located : findings) {
        const finding& f = located.what;
        const auto [rule, is_new] = rules.emplace(f.rule, rules.size());
        if (is_new) described.push_back(sarif_rule(f));
        boost::json::object result{{"ruleId", f.rule},
                                   {"ruleIndex", rule->second},
                                   {"level", level_of(f.level)},
                                   {"message", {{"text", sarif_message(f)}}}};
        if (!located.file.empty())
            result["locations"] = boost::json::array{boost::json::object{{"physicalLocation", sarif_place(located)}}};
        results.push_back(std::move(result));
    }
    const boost::json::object driver{{"name", "weft"}, {"rules", std::move(described)}};
    boost::json::object run{{"tool", {{"driver", driver}}},
                            {"columnKind", "unicodeCodePoints"},
                            {"results", std::move(results)}};
    return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs", boost::json::array{std::move(run)}}};
}

boost::json::object to_sarif(std::span<const finding> findings, std::string_view file)
{
    std::vector<located_finding> located;
    for (const finding& f : findings) located.push_back({f, std::string{file}, {}});
    return to_sarif(located);
}

}  // namespace weft
