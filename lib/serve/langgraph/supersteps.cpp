#include "supersteps.hpp"

#include "serve/run/thread_values.hpp"
#include "serve/state/message_ids.hpp"
#include "serve/state/state_wire.hpp"

#include <weft/net/server/http_error.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::size_t superstep_updates_max = 1000;  // of all steps together

[[noreturn]] void refuse_superstep(std::string_view place, std::string_view why)
{
    throw http_error{422, "invalid_body", std::string{place}.append(": ").append(why)};
}

const object& object_at(const value& from, std::string_view place)
{
    if (!from.is_object()) refuse_superstep(place, "expected an object");
    return from.get_object();
}

bool is_left_out(const value* given) noexcept
{
    return !given || given->is_null() || (given->is_array() && given->get_array().empty());
}

void add_values(state_update& to, const weft::graph& of, const value& given, const std::string& place)
{
    state_update read = read_update(of, object_at(given, place), place);
    for (state_update::item& item : read.items()) to.items().push_back(std::move(item));
}

void add_update(state_update& to, const weft::graph& of, const object& update, const std::string& place)
{
    const value* const writer = update.if_contains("as_node");
    if (!writer || !writer->is_string()) refuse_superstep(place + ".as_node", "expected the name of a node");
    require_writer(of, writer->get_string(), place + ".as_node");
    // A command stands for the values: what the node wrote, and where it went.
    if (const value* const command = update.if_contains("command"); !is_left_out(command)) {
        const object& told = object_at(*command, place + ".command");
        for (const char* const other : {"goto", "resume"})
            if (!is_left_out(told.if_contains(other)))
                refuse_superstep(place + ".command." + other,
                                 "the thread stands at the end of its graph: leave it out");
        if (const value* const written = told.if_contains("update"); !is_left_out(written))
            add_values(to, of, *written, place + ".command.update");
        return;
    }
    const value* const values = update.if_contains("values");
    // A node that wrote nothing has a step as well.
    if (is_left_out(values)) return;
    add_written(to, of, *values, place + ".values");
}

const array& list_at(const value* from, std::string_view place)
{
    if (!from || !from->is_array()) refuse_superstep(place, "expected a list");
    if (from->get_array().size() > superstep_updates_max)
        refuse_superstep(place, "has more than " + std::to_string(superstep_updates_max) + " items");
    return from->get_array();
}

}  // namespace

void require_writer(const weft::graph& of, std::string_view name, const std::string& place)
{
    // Beside the nodes of a graph, LangGraph has the input of a run, and where it ends.
    constexpr std::array<std::string_view, 3> of_runs{"__start__", "__input__", "__end__"};
    const std::vector<std::string_view> nodes = of.node_names();
    const bool is_known = std::find(nodes.begin(), nodes.end(), name) != nodes.end() ||
                          std::find(of_runs.begin(), of_runs.end(), name) != of_runs.end();
    if (!is_known) refuse_superstep(place, "the graph has no node '" + std::string{name} + "'");
}

void add_written(state_update& to, const weft::graph& of, const value& given, const std::string& place)
{
    if (!given.is_array()) return add_values(to, of, given, place);
    const array& several = given.get_array();
    for (std::size_t i = 0; i < several.size(); ++i)
        add_values(to, of, several[i], place + '[' + std::to_string(i) + ']');
}

const std::string_view supersteps_schema_text = R"({
  "type": "array", "maxItems": 1000,
  "items": {
    "type": "object",
    "properties": {
      "updates": {
        "type": "array", "maxItems": 1000,
        "items": {
          "type": "object",
          "properties": {
            "values": {"anyOf": [{"type": "object"}, {"type": "array", "items": {"type": "object"}}, {"type": "null"}]},
            "command": {"type": ["object", "null"], "properties": {"update": {"type": ["object", "null"]}}},
            "as_node": {"type": "string", "description": "The node that wrote it"}},
          "required": ["as_node"]}}},
    "required": ["updates"]}
})";

superstep_list read_supersteps(serve_core& core, const value_field& field, const object& body, std::string graph)
{
    superstep_list result;
    const value* const given = field.in(body);
    if (!given) return result;
    const array& steps = list_at(given, field.place());
    if (steps.empty()) return result;
    if (graph.empty()) field.refuse("whose are they? Name the graph of the thread as metadata.graph_id");
    const std::shared_ptr<const hosted_graph> of = core.find_graph(graph);
    if (!of) field.refuse("there is no graph '" + graph + "'; the graphs are: " + core.served->names());
    std::size_t count = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::string step = field.place() + '[' + std::to_string(i) + ']';
        const array& updates = list_at(object_at(steps[i], step).if_contains("updates"), step + ".updates");
        count += updates.size();
        if (count > superstep_updates_max)
            field.refuse("has more than " + std::to_string(superstep_updates_max) + " updates");
        state_update& written = result.steps.emplace_back();
        for (std::size_t k = 0; k < updates.size(); ++k) {
            const std::string place = step + ".updates[" + std::to_string(k) + ']';
            add_update(written, of->graph, object_at(updates[k], place), place);
        }
        // Clients put messages together by their ids: those without one get it here, for good.
        name_messages(core.next_id<run_id>().text(), written);
    }
    result.graph = std::move(graph);
    return result;
}

task<void> write_supersteps(serve_core& core, thread_key thread, superstep_list given)
{
    std::optional<thread_snapshot> last;
    // One after the other: the values of a step join those of the one before it.
    for (state_update& step : given.steps) {
        if (last)
            last = co_await core.engine.edit(thread, std::move(step));
        else
            last = co_await core.engine.begin(thread, given.graph, std::move(step));
    }
    if (last) co_await note_values(core, std::move(thread), last->state());
}

}  // namespace weft::serve_detail
