#include <weft/tool/call/messages_key.hpp>

#include <weft/base/error.hpp>

#include <boost/json/array.hpp>

#include <utility>

namespace weft {

namespace json = boost::json;

namespace {

bool holds_messages(const key_type& type) { return type.value == &value_type_of<list<message>>; }

// Graph files have no type for messages in C++: there the list is a JSON array, with the same reducer.
bool takes_messages(const key_type& type)
{
    if (holds_messages(type)) return !type.has_reducer || type.update == &value_type_of<message>;
    if (type.value != &value_type_of<json::array>) return false;
    return !type.has_reducer || type.update == &value_type_of<json::value>;
}

value_ptr boxed(const key_type& type, message&& one)
{
    if (type.update == &value_type_of<message>) return make_box<message>(std::move(one));
    return make_box<json::value>(to_json(one));
}

}  // namespace

std::string messages_key::fault_of(const state_layout& keys, std::string_view name)
{
    const std::uint32_t slot = keys.find(name);
    if (slot == state_layout::none) return "there is no key '" + std::string{name} + "' for the messages: declare it";
    if (takes_messages(*keys[slot].type)) return {};
    return "the key '" + std::string{name} +
           "' cannot hold messages: give it the type messages and the reducer append";
}

messages_key::messages_key(node_context& node, std::string_view name)
    : node_{node}, slot_{node.layout().find(name)}, type_{nullptr}
{
    if (slot_ != state_layout::none) type_ = node.layout()[slot_].type;
    if (type_ && takes_messages(*type_)) return;
    throw error{type_ ? errc::state_type_mismatch : errc::unknown_state_key,
                "node '" + std::string{node.node()} + "'", fault_of(node.layout(), name)};
}

list<message> messages_key::read() const
{
    const value_ptr& value = node_.value_at(slot_);
    if (!value) return {};
    if (holds_messages(*type_)) return unboxed<list<message>>(*value);
    return from_json<list<message>>(json::value(unboxed<json::array>(*value)));
}

void messages_key::add(std::vector<message> more, bool survives)
{
    if (type_->has_reducer) {
        for (message& one : more) node_.write({slot_, false, survives, boxed(*type_, std::move(one))});
        return;
    }
    // Without a reducer a write replaces: the whole list is written, with what is new at its end.
    list<message> whole = read();
    for (message& one : more) whole.push_back(std::move(one));
    if (holds_messages(*type_)) node_.write({slot_, false, survives, make_box<list<message>>(std::move(whole))});
    else node_.write({slot_, false, survives, make_box<json::array>(to_json(whole).as_array())});
}

void messages_key::replace(const list<message>& whole)
{
    // Past the reducer, which would append.
    if (holds_messages(*type_)) node_.write({slot_, true, false, make_box<list<message>>(whole)});
    else node_.write({slot_, true, false, make_box<json::array>(to_json(whole).as_array())});
}

template struct compiled_value<message>;
template struct compiled_value<list<message>>;
template struct compiled_key<list<message>, append>;

}  // namespace weft
