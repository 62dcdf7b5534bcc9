#include "node_answer.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/state/finite_value.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <string_view>
#include <utility>

namespace weft {

namespace {

/** The slot of a key, remembered for the next time that it is asked for in a row. */
class slot_memory {
public:
    explicit slot_memory(const state_layout& layout) noexcept : layout_{layout} {}

    std::uint32_t require(const any_state_key& key, std::string_view node)
    {
        if (!type_ || key.name != name_ || key.type != type_) {
            slot_ = layout_.require(key, node);
            name_ = key.name;
            type_ = key.type;
        }
        return slot_;
    }

private:
    const state_layout& layout_;
    std::string_view name_;
    const key_type* type_ = nullptr;
    std::uint32_t slot_ = 0;
};

}  // namespace

sent_items resolve_items(const graph& graph, command& answer)
{
    sent_items items;
    // All or none: an item that cannot be sent fails the node before any branch begins.
    items.reserve(answer.items()->size());
    // Most items go to one node, with values of the same keys.
    const std::string* last_name = nullptr;
    node_index last_target = no_node;
    slot_memory slots{*graph.layout()};
    for (send& from : *answer.items()) {
        if (!last_name || from.node() != *last_name) last_target = graph.find(from.node());
        last_name = &from.node();
        sent_item item;
        item.target = last_target;
        if (item.target == no_node || item.target == weft::start_node || item.target == end_node ||
            graph.node(item.target).is_deferred)
            throw error{errc::unknown_node, "item " + std::to_string(items.size()) + " of a fan-out",
                        "it is sent to '" + from.node() + "'; name a node of the graph that is not deferred"};
        item.input.reserve(from.values().items().size());
        for (state_update::item& value : from.values().items()) {
            const std::uint32_t slot = slots.require(value.key, from.node());
            require_finite(value.value, (*graph.layout())[slot], from.node());
            item.input.push_back({slot, true, false, std::move(value.value)});
        }
        item.timeout = from.limit();
        items.push_back(std::move(item));
    }
    return items;
}

namespace {

/** What is wrong with a value that a node owes; empty if nothing is. */
std::string fault_of(const value_ptr& value, const key_type& type, std::size_t text_max)
{
    if (!value) return "has no value";
    if (!type.value->to_json) return {};
    boost::json::value json;
    try {
        json = type.value->to_json(*value);
    } catch (const error& e) {
        return "cannot be written as JSON: " + e.detail();
    }
    if (json.is_null()) return "is null";
    if (!json.is_string()) return {};
    const std::string_view text = json.get_string();
    // A model that has nothing to say often says so with spaces.
    if (text.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos) return "is blank";
    if (text.size() > text_max)
        return "has " + std::to_string(text.size()) + " characters, and " + std::to_string(text_max) + " are allowed";
    return {};
}

/** What is wrong with the value of a key by its schema; empty if nothing is. */
std::string faults_by_schema(const std::string& key, const json_schema& schema, const value_box& value,
                             const key_type& type)
{
    std::string faults;
    const auto add = [&](std::string_view path, std::string_view text) {
        faults.append(faults.empty() ? "key '" : "; key '").append(key).append("'");
        if (path != "$") faults.append(" at ").append(path);
        faults.append(": ").append(text);
    };
    try {
        for (const schema_mistake& m : schema.mistakes(type.value->to_json(value))) add(m.path, m.text);
    } catch (const error& e) {
        add(e.where(), "cannot be written as JSON: " + e.detail());
    }
    return faults;
}

void append_fault(std::string& faults, const std::string& fault)
{
    if (!fault.empty()) faults.append(faults.empty() ? "" : "; ").append(fault);
}

}  // namespace

std::string output_faults(const node_context& context, const graph_node& node)
{
    const output_check& owed = node.options->outputs;
    std::string faults;
    if (owed.required)
        for (const std::string& name : *node.options->writes) {
            if (std::find(owed.nullable.begin(), owed.nullable.end(), name) != owed.nullable.end()) continue;
            const std::uint32_t slot = context.layout().find(name);
            const std::string fault = fault_of(context.value_at(slot), *context.layout()[slot].type, owed.text_max);
            append_fault(faults, fault.empty() ? "" : "key '" + name + "' " + fault);
        }
    for (const auto& [name, schema] : owed.schemas) {
        const std::uint32_t slot = context.layout().find(name);
        if (const value_ptr& value = context.value_at(slot))
            append_fault(faults, faults_by_schema(name, schema, *value, *context.layout()[slot].type));
    }
    // The check of the user may rely on what was checked before.
    if (faults.empty() && owed.passes) {
        try {
            faults = owed.passes(context);
        } catch (...) {
            faults = "the check of its outputs threw: " + text_of(std::current_exception());
        }
    }
    return faults;
}

}  // namespace weft
