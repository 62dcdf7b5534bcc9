#include "spec_send_node.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/edge/edge.hpp>
#include <weft/graph/graph_spec_writer.hpp>
#include <weft/graph/spec/spec_reading.hpp>

namespace weft::spec_detail {

namespace {

boost::json::array list_of(const bound_expression& items, const node_context& context)
{
    const expression_result result = items.evaluate(state_view{context.branch()});
    const std::string where = "node '" + std::string{context.node()} + "', items";
    if (result.has_error()) throw error{errc::state_conversion, where, result.error()};
    // By way of JSON: tuples, sets and views of dicts are lists too.
    boost::json::value list = result.to_json();
    if (!list.is_array())
        throw error{errc::state_conversion, where,
                    "'" + items.source().text() + "' gives no list but " + result.text().substr(0, 200)};
    return std::move(list.get_array());
}

}  // namespace

void send_node::run(node_context& context, command& answer) const
{
    const state_layout::slot& key = context.layout()[slot_];
    const any_state_key as{key.name, hash_of_name(key.name), key.type};
    const boost::json::array list = list_of(items_, context);
    std::vector<send> sends;
    sends.reserve(list.size());
    for (const boost::json::value& item : list) {
        send& one = sends.emplace_back(settings_.to);
        if (settings_.timeout) one.timeout(settings_.timeout->span());
        try {
            one.values().items().push_back({as, key.type->value->from_json(item), true});
        } catch (const error& e) {
            throw error{errc::state_conversion,
                        "node '" + std::string{context.node()} + "', item " + std::to_string(sends.size() - 1),
                        "it does not fit the key '" + key.name + "': " + e.detail()};
        }
    }
    answer = command::fan_out(std::move(sends));
}

bool send_node::describe(node_spec& into, const state_layout&) const
{
    into.kind = "send";
    into.settings = write_structure(settings_);
    return true;
}

}  // namespace weft::spec_detail
