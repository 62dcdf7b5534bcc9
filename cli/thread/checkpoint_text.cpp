#include "checkpoint_text.hpp"

#include "terminal/people_lines.hpp"

#include <weft/engine/trace/run_event_json.hpp>

#include <boost/json/array.hpp>

namespace weft_cli {

namespace {

boost::json::array array_of(const std::vector<std::string>& names)
{
    return boost::json::array(names.begin(), names.end());
}

std::string before_and_after(const std::string& before, const std::string& after) { return before + " -> " + after; }

std::string value_or_nothing(const std::optional<boost::json::value>& value)
{
    return value ? value_text(*value) : std::string{"(no value)"};
}

std::string names_or_nothing(const std::vector<std::string>& names)
{
    return names.empty() ? std::string{"(nothing)"} : names_text(names);
}

}  // namespace

boost::json::object to_json(const weft::checkpoint_info& info)
{
    boost::json::object json{{"sequence", info.sequence},
                             {"id", info.id.text()},
                             {"kind", name_of(info.kind)},
                             {"step", info.step},
                             {"at", weft::to_utc_text(info.at)},
                             {"graph", info.graph},
                             {"graph_hash", info.graph_hash},
                             {"bytes", info.bytes}};
    if (info.parent != 0) json.emplace("parent", info.parent);
    if (!info.run.is_nil()) json.emplace("run", info.run.text());
    if (!info.copy_of.is_nil()) json.emplace("copy_of", info.copy_of.text());
    if (!info.node.empty()) json.emplace("node", info.node);
    if (!info.label.empty()) json.emplace("label", info.label);
    return json;
}

boost::json::object to_json(const weft::checkpoint_info& info, const weft::checkpoint_outline& outline)
{
    boost::json::object json = to_json(info);
    json.emplace("unfinished", outline.is_unfinished);
    if (!outline.finished.empty()) {
        boost::json::array branches;
        for (const weft::checkpoint_outline::finished_branch& branch : outline.finished)
            branches.push_back(boost::json::object{{"node", branch.node}, {"writes", branch.writes}});
        json.emplace("finished_branches", std::move(branches));
    }
    json.emplace("next", array_of(outline.next_nodes));
    boost::json::object visits;
    for (const auto& [node, count] : outline.visits) visits.emplace(node, count);
    json.emplace("visits", std::move(visits));
    json.emplace("retries", outline.retries);
    return json;
}

std::string what_text(const weft::checkpoint_info& info)
{
    std::string text{name_of(info.kind)};
    if (info.kind == weft::checkpoint_kind::finish && !info.node.empty()) text = "failed at";
    if (!info.node.empty()) text.append(" ").append(info.node);
    return text;
}

boost::json::object to_json(const weft::snapshot_difference& difference)
{
    boost::json::object keys;
    for (const auto& key : difference.keys) {
        boost::json::object change;
        if (key.before) change.emplace("before", *key.before);
        if (key.after) change.emplace("after", *key.after);
        keys.emplace(key.key, std::move(change));
    }
    boost::json::object visits;
    for (const auto& visit : difference.visits)
        visits.emplace(visit.node, boost::json::object{{"before", visit.before}, {"after", visit.after}});
    return {{"keys", std::move(keys)},
            {"visits", std::move(visits)},
            {"steps", {{"before", difference.steps.first}, {"after", difference.steps.second}}},
            {"retries", {{"before", difference.retries.first}, {"after", difference.retries.second}}},
            {"next", {{"before", array_of(difference.next_nodes.first)},
                      {"after", array_of(difference.next_nodes.second)}}}};
}

std::string difference_text(const weft::snapshot_difference& difference, const console::screen& screen)
{
    if (difference.is_empty()) return "They stand at the same place with the same values.\n";
    std::string text;
    for (const auto& key : difference.keys) {
        people_lines values;
        values.add("-", value_or_nothing(key.before), "31");
        values.add("+", value_or_nothing(key.after), "32");
        text += "key " + screen.styled(console::harmless_line(key.key), "1") + "\n" + values.text(screen, 2);
    }
    people_lines rest;
    for (const auto& visit : difference.visits)
        rest.add("visits", console::harmless_line(visit.node) + ": " +
                               before_and_after(std::to_string(visit.before), std::to_string(visit.after)));
    const auto& [steps, retries] = std::pair{difference.steps, difference.retries};
    if (steps.first != steps.second)
        rest.add("steps", before_and_after(std::to_string(steps.first), std::to_string(steps.second)));
    if (retries.first != retries.second)
        rest.add("retries", before_and_after(std::to_string(retries.first), std::to_string(retries.second)));
    const auto& [next_before, next_after] = difference.next_nodes;
    if (next_before != next_after)
        rest.add("next", before_and_after(names_or_nothing(next_before), names_or_nothing(next_after)));
    return text + rest.text(screen);
}

boost::json::object to_json(const weft::effect_record& effect)
{
    return {{"address", effect.address}, {"phase", name_of(effect.phase)}, {"key", effect.key}};
}

}  // namespace weft_cli
