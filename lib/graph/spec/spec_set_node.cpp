#include "spec_set_node.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/edge/edge.hpp>
#include <weft/graph/graph_spec.hpp>

namespace weft::spec_detail {

namespace {

/** The update of a key that an expression gives. Python's whole floats are integers to a key of integers. */
value_ptr update_of(const node_context& context, const set_node::computed& from)
{
    const state_layout::slot& key = context.layout()[from.slot];
    const expression_result result = from.expression.evaluate(state_view{context.branch()});
    const std::string where = "node '" + std::string{context.node()} + "', key '" + key.name + "'";
    if (result.has_error()) throw error{errc::state_conversion, where, result.error()};
    try {
        return key.type->update->from_json(result.to_json());
    } catch (const error& e) {
        throw error{errc::state_conversion, where, e.detail()};
    }
}

}  // namespace

void set_node::run(node_context& context, command&) const
{
    // All expressions see the state before the node, so they come before the first write.
    std::vector<value_ptr> updates;
    for (const computed& item : expressions_) updates.push_back(update_of(context, item));
    for (const constant& item : constants_) context.write({item.slot, false, false, item.update});
    for (std::size_t i = 0; i < updates.size(); ++i)
        context.write({expressions_[i].slot, false, false, std::move(updates[i])});
}

std::optional<std::vector<std::string>> set_node::written_keys(const state_layout& keys) const
{
    std::vector<std::string> names;
    for (const constant& item : constants_) names.push_back(keys[item.slot].name);
    for (const computed& item : expressions_) names.push_back(keys[item.slot].name);
    return names;
}

bool set_node::describe(node_spec& into, const state_layout& keys) const
{
    boost::json::object values;
    boost::json::object expressions;
    for (const constant& item : constants_)
        values[keys[item.slot].name] = keys[item.slot].type->update->to_json(*item.update);
    for (const computed& item : expressions_) expressions[keys[item.slot].name] = item.expression.source().text();
    into.kind = "set";
    if (!values.empty()) into.settings["values"] = std::move(values);
    if (!expressions.empty()) into.settings["expressions"] = std::move(expressions);
    return true;
}

}  // namespace weft::spec_detail
