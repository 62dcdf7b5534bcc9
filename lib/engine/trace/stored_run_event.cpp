#include <weft/engine/trace/stored_run_event.hpp>

#include "stored_event_pieces.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/graph/node/node.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/graph/state/finite_value.hpp>
#include <weft/graph/state/written_values.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <utility>

namespace weft {

namespace {

/** Makes a write again, as a node made it. Nothing if the graph has no such key any more, or JSON cannot say it. */
std::optional<state_write> write_again(state& values, const boost::json::value& stored)
{
    const boost::json::array* const one = stored.if_array();
    if (!one || one->size() < 2 || !one->at(0).is_string()) return std::nullopt;
    const std::uint32_t slot = values.layout().find(one->at(0).get_string());
    if (slot == state_layout::none) return std::nullopt;
    const state_layout::slot& key = values.layout()[slot];
    const bool is_overwrite = one->size() > 2 || !key.type->has_reducer;
    try {
        const value_type& type = is_overwrite ? *key.type->value : *key.type->update;
        value_ptr value = type.from_json(one->at(1));
        value_ptr& place = values.writable(slot);
        place = is_overwrite ? value : reduce_finite(place, value, key);
        return state_write{slot, one->size() > 2, true, std::move(value)};
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

}  // namespace

std::string stored_run_event(const run_event& event)
{
    stored_event_pieces pieces;
    pieces.begin(event);
    while (!pieces.write(std::size_t{1} << 20)) {}
    return pieces.take();
}

run_event stored_event_reader::read(std::string_view stored)
{
    const boost::json::value parsed = parse_json(stored);
    if (!parsed.is_object()) throw error{errc::unexpected_json, "$", "expected an event, as an object"};
    const boost::json::object& line = parsed.get_object();
    run_event event = texts_.read_event(line);
    if (const boost::json::value* const about = line.if_contains("about"))
        event.about = std::make_shared<const boost::json::value>(*about);
    const bool has_values = event.what == run_event::kind::run_started ||
                            event.what == run_event::kind::state_written ||
                            event.what == run_event::kind::branches_joined;
    if (has_values) read_written(event, line);
    return event;
}

const graph* stored_event_reader::graph_at(std::string_view address) const
{
    const graph* at = &graph_;
    while (at && !address.empty()) {
        const std::string_view name = address.substr(0, address.find('/'));
        address.remove_prefix(std::min(name.size() + 1, address.size()));
        const node_index node = at->find(name);
        const subgraph* const inner = node == no_node ? nullptr : at->node(node).body->inner();
        at = inner ? &inner->graph : nullptr;
    }
    return at;
}

void stored_event_reader::read_written(run_event& event, const boost::json::object& line)
{
    const graph* const of = graph_at(event.address);
    if (!of) return;
    const address key{event.address, event.address_visits, event.address_attempts};
    const boost::json::value* const values = line.if_contains("values");
    auto known = states_.find(key);
    if (values && values->is_object()) {
        state begun{of->layout()};
        for (const auto& [name, value] : values->get_object())
            (void)write_again(begun, boost::json::array{name, value, true});
        known = states_.insert_or_assign(key, std::move(begun)).first;
    }
    if (known == states_.end()) return;  // it begins in the middle
    const bool is_in_branch = line.contains("is_in_branch");
    // What a branch writes is not in the state of the run before the join, which says it whole.
    state aside = known->second;
    state& into = is_in_branch ? aside : known->second;
    write_set writes;
    const boost::json::value* const written = line.if_contains("written");
    if (written && written->is_array())
        for (const boost::json::value& one : written->get_array())
            if (std::optional<state_write> made = write_again(into, one)) writes.push_back(std::move(*made));
    event.written = std::make_shared<const written_values>(std::move(writes), into, is_in_branch);
}

}  // namespace weft
