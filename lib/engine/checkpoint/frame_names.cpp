#include "frame_names.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include <algorithm>
#include <utility>

namespace weft::checkpoint_detail {

namespace {

[[noreturn]] void refuse_shape(std::string why)
{
    throw error{errc::store_corrupt, "checkpoint, shape of the graph", std::move(why)};
}

std::string_view text_in_shape(const boost::json::object& part, std::string_view member)
{
    const boost::json::value* const found = part.if_contains(member);
    if (!found) return {};
    if (!found->is_string()) refuse_shape(std::string{member} + " is no text");
    return found->get_string();
}

std::string_view node_after(const std::vector<const graph_migration*>& way, std::string_view name)
{
    for (const graph_migration* by : way) name = by->new_node(name);
    return name;
}

}  // namespace

boost::json::object read_shape(std::string_view text)
{
    boost::json::value shape;
    try {
        shape = parse_own_json(text);
    } catch (const error& wrong) {
        refuse_shape(wrong.what());
    }
    if (!shape.is_object()) refuse_shape("it is no object");
    return std::move(shape.get_object());
}

std::vector<const boost::json::object*> parts_of_shape(const boost::json::object& shape, std::string_view list)
{
    const boost::json::value* const all = shape.if_contains(list);
    if (!all || !all->is_array()) refuse_shape(std::string{list} + " are missing");
    std::vector<const boost::json::object*> result;
    for (const boost::json::value& one : all->get_array()) {
        if (!one.is_object()) refuse_shape("one of its " + std::string{list} + " is no object");
        result.push_back(&one.get_object());
    }
    return result;
}

std::string_view name_in_shape(const boost::json::object& part)
{
    if (!part.if_contains("name")) refuse_shape("a part of it has no name");
    return text_in_shape(part, "name");
}

frame_names::frame_names(const graph& same) : is_same_{true}
{
    nodes_.reserve(same.size());
    for (node_index n = 0; n < same.size(); ++n) nodes_.push_back({same.node(n).name, n});
    const state_layout& layout = *same.layout();
    keys_.reserve(layout.size());
    for (std::uint32_t slot = 0; slot < layout.size(); ++slot) keys_.push_back({layout[slot].name, slot});
}

frame_names::frame_names(const boost::json::object& shape, const graph& now, const graph_migrations& by)
    : is_same_{false}
{
    std::vector<const graph_migration*> way;
    // A fingerprint costs a hash over the whole graph: only for graphs that have migrations.
    if (!by.is_empty()) way = by.way(fingerprint_of_shape(shape), graph_fingerprint(now));
    const boost::json::object now_shape = graph_shape(now);
    for (const boost::json::object* part : parts_of_shape(shape, "nodes")) add_node(*part, now_shape, now, way);
    for (const boost::json::object* part : parts_of_shape(shape, "keys")) add_key(*part, now_shape, now, way);
    if (nodes_.empty()) refuse_shape("it has no nodes");
}

void frame_names::add_node(const boost::json::object& shape, const boost::json::object& now_shape, const graph& now,
                           const std::vector<const graph_migration*>& way)
{
    node result;
    result.old_name = name_in_shape(shape);
    const std::string_view name = node_after(way, result.old_name);
    const node_index found = name == weft::end ? no_node : now.find(name);
    if (found != no_node) {
        result.now = found;
        const boost::json::object& its_shape = now_shape.at("nodes").get_array()[found].get_object();
        result.has_other_fan_out =
            text_in_shape(shape, "fan_out") != text_in_shape(its_shape, "fan_out") ||
            node_after(way, text_in_shape(shape, "join")) != text_in_shape(its_shape, "join");
    }
    if (const boost::json::value* const inner = shape.if_contains("graph")) {
        if (!inner->is_object()) refuse_shape("a graph in a node is no object");
        result.inner = &inner->get_object();
    }
    nodes_.push_back(result);
}

void frame_names::add_key(const boost::json::object& shape, const boost::json::object& now_shape, const graph& now,
                          const std::vector<const graph_migration*>& way)
{
    key result;
    result.old_name = name_in_shape(shape);
    std::string_view name = result.old_name;
    for (const graph_migration* by : way) {
        const graph_migration::key_rule* const rule = by->rule_of(name);
        // A migration that does not name a key keeps it.
        if (!rule) continue;
        if (rule->name.empty()) {
            result.what = key::fate::dropped;
            break;
        }
        name = rule->name;
        if (rule->convert || rule->convert_update) result.rules.push_back(rule);
    }
    if (result.what == key::fate::kept) {
        result.slot = now.layout()->find(name);
        if (result.slot == state_layout::none) {
            result.what = key::fate::lost;
        } else {
            const boost::json::object& its_shape = now_shape.at("keys").get_array()[result.slot].get_object();
            result.has_other_reducer = text_in_shape(shape, "reducer") != text_in_shape(its_shape, "reducer");
            // A value that is not stored any more begins as it does in a new run.
            if ((*now.layout())[result.slot].type->is_transient) result.what = key::fate::dropped;
        }
    }
    keys_.push_back(std::move(result));
}

}  // namespace weft::checkpoint_detail
