#include "explanation.hpp"

#include "terminal/console.hpp"
#include "terminal/text_table.hpp"

#include <weft/base/text/joined_text.hpp>
#include <weft/engine/run/spec_options.hpp>

#include <boost/describe/enum_to_string.hpp>
#include <boost/json/serialize.hpp>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace weft_cli {

namespace {

using rows = std::vector<std::vector<std::string>>;

template <class Enum>
std::string word_of(Enum value)
{
    return boost::describe::enum_to_string(value, "?");
}

/** JSON as people write it: 2 and not 2E0. */
std::string json_of(const boost::json::value& value)
{
    if (!value.is_double()) return boost::json::serialize(value);
    char buffer[32];
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value.get_double()).ptr};
}

std::string span_or_none(std::chrono::nanoseconds span)
{
    return span.count() == 0 ? "none" : weft::spec_duration{span}.text();
}

std::string keys_of(const weft::graph_spec& spec)
{
    rows table;
    for (const weft::key_spec& key : spec.state) {
        std::vector<std::string> facts;
        if (key.reducer != weft::spec_reducer::replace) facts.push_back("updates join by " + word_of(key.reducer));
        if (key.initial) facts.push_back("begins as " + json_of(*key.initial));
        if (key.conflict) facts.push_back("of two branches " + word_of(*key.conflict));
        if (!key.description.empty()) facts.push_back(key.description);
        table.push_back({key.name, key.type, weft::joined_text(facts, "; ")});
    }
    return table.empty() ? "  none\n" : table_of(table);
}

std::string function_of(const weft::node_spec& node)
{
    const boost::json::value* const named = node.settings.if_contains("function");
    return named && named->is_string() ? std::string{named->get_string()} : node.name;
}

std::string cache_of(const weft::cache_spec& cache)
{
    std::string text = "its result is kept";
    if (cache.keep_for) text += " for " + cache.keep_for->text();
    if (cache.keys) text += " by " + (cache.keys->empty() ? "nothing" : weft::joined_text(*cache.keys));
    return text;
}

std::vector<std::string> facts_of(const weft::node_spec& node, const weft::node_options& options)
{
    std::vector<std::string> facts;
    const auto add = [&](bool holds, std::string text) {
        if (holds) facts.push_back(std::move(text));
    };
    if (node.kind == "function") facts.push_back("calls " + function_of(node));
    if (node.reads) facts.push_back("reads " + (node.reads->empty() ? "nothing" : weft::joined_text(*node.reads)));
    if (node.writes) facts.push_back("writes " + (node.writes->empty() ? "nothing" : weft::joined_text(*node.writes)));
    const weft::retry_policy& retry = options.retry;
    add(retry.attempts_max > 1, std::to_string(retry.attempts_max) + " attempts, the second after " +
                                    weft::spec_duration{retry.initial}.text());
    add(options.timeout.count() > 0, "timeout " + span_or_none(options.timeout));
    add(node.visits_max > 0, "at most " + std::to_string(node.visits_max) + " visits");
    add(!node.outputs.check.empty(), "must leave behind: " + node.outputs.check);
    add(!node.clears.empty(), "a further visit clears " + weft::joined_text(node.clears));
    add(!node.goes_to.empty(), "may go to " + weft::joined_text(node.goes_to));
    add(node.deferred, "runs when all else is done");
    add(node.feedback, "is told what it wrote before");
    add(node.client_facing, "speaks with a person");
    if (node.cache) facts.push_back(cache_of(*node.cache));
    return facts;
}

std::string nodes_of(const weft::loaded_graph& loaded)
{
    rows table;
    for (const weft::node_spec& node : loaded.spec.nodes) {
        const weft::node_options& options = *loaded.what.node(loaded.what.find(node.name)).options;
        table.push_back({node.name, node.kind, weft::joined_text(facts_of(node, options), "; ")});
    }
    return table_of(table);
}

std::string with_origin(std::string value, bool is_from_file)
{
    return std::move(value) + (is_from_file ? "" : " (default)");
}

std::string count_or_none(std::uint32_t count) { return count == 0 ? "none" : std::to_string(count); }

std::string limits_of(const weft::graph_spec& spec)
{
    const weft::run_options options = weft::run_options_of(spec);
    const weft::limits_spec& file = spec.limits;
    const auto action = static_cast<weft::spec_limit_action>(options.at_limit());
    return table_of({
        {"node visits of a run", with_origin(count_or_none(options.steps_max()), file.steps_max.has_value())},
        {"visits of one node in a row",
         with_origin(count_or_none(options.in_a_row_max()), file.in_a_row_max.has_value())},
        {"at these two limits", with_origin(word_of(file.at_limit.value_or(action)), file.at_limit.has_value())},
        {"nodes that run at once", with_origin(count_or_none(options.in_flight_max()), file.in_flight_max.has_value())},
        {"time for one attempt", with_origin(span_or_none(options.node_timeout()), file.node_timeout.has_value())},
        {"time for the run", with_origin(span_or_none(options.elapsed_max()), file.elapsed_max.has_value())},
        {"budget", with_origin(options.budget() ? to_string(*options.budget()) : "none", file.budget.has_value())},
        {"two branches write one key", word_of(spec.conflict)},
        {"routing", word_of(spec.routing)},
        {"defaults of", word_of(spec.defaults)},
    });
}

std::string memory_of(const weft::memory_spec& memory)
{
    return table_of({
        {"namespace", memory.scope.empty() ? "that of the program" : weft::joined_text(memory.scope, " / ")},
        {"items", memory.items_max == 0 ? "no limit" : "at most " + std::to_string(memory.items_max)},
        {"bytes of a value", memory.value_bytes_max == 0 ? "as the store says"
                                                         : "at most " + std::to_string(memory.value_bytes_max)},
        {"kept", memory.keep_for ? "for " + memory.keep_for->text() : "for ever"},
    });
}

std::string goal_of(const weft::goal_spec& goal)
{
    std::string text = "\nGoal: " + console::harmless_line(goal.name) + "\n";
    if (!goal.description.empty()) text += "  " + console::harmless_line(goal.description) + "\n";
    rows table;
    for (const weft::criterion_spec& criterion : goal.criteria)
        table.push_back({criterion.id, "weight " + json_of(criterion.weight),
                         "met when " + criterion.met_when});
    for (const weft::constraint_spec& constraint : goal.constraints)
        table.push_back({constraint.id, constraint.hard ? "must hold" : "should hold", constraint.kept_when});
    return text + table_of(table);
}

}  // namespace

std::string explanation_of(const weft::loaded_graph& loaded)
{
    const weft::graph_spec& spec = loaded.spec;
    std::string text = console::harmless_line(spec.name) + "\n";
    if (!spec.description.empty()) text += console::harmless_line(spec.description) + "\n";
    text += "\nKeys of the state\n" + keys_of(spec);
    text += "\nNodes\n" + nodes_of(loaded);
    text += "\nWays, in the order in which they are tried\n";
    const std::string ways = loaded.what.explain();
    text += console::harmless(ways.substr(ways.find('\n') + 1));
    text += "\nLimits of a run\n" + limits_of(spec);
    if (spec.memory) text += "\nMemory\n" + memory_of(*spec.memory);
    if (spec.goal) text += goal_of(*spec.goal);
    return text;
}

}  // namespace weft_cli
