#include "state_wire.hpp"

#include "message_wire.hpp"

#include <weft/base/error.hpp>
#include <weft/base/list.hpp>
#include <weft/base/text/joined_text.hpp>
#include <weft/chat/message.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/json/array.hpp>

#include <string>
#include <utility>
#include <vector>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

/** A message of a run that no client watched has no id: its place in the whole conversation makes one. */
object message_for_client(const value& message, std::string_view key, std::size_t place)
{
    return message_to_langchain(message.get_object(), std::string{key} + '-' + std::to_string(place));
}

/** @param first   The place of the first one in the whole conversation. */
value messages_for_client(const value& messages, std::string_view key, std::size_t first)
{
    array result;
    result.reserve(messages.get_array().size());
    for (const value& one : messages.get_array())
        result.push_back(message_for_client(one, key, first + result.size()));
    return result;
}

void show_messages(object& values, const state_layout& layout, const state* whole)
{
    for (auto& [name, member] : values) {
        const std::uint32_t slot = layout.find(name);
        if (slot == state_layout::none || !has_messages(*layout[slot].type) || !member.is_array()) continue;
        // What a node added stands at the end: its ids are those that the whole list will show.
        std::size_t first = 0;
        if (whole && whole->at(slot)) {
            const list_access* const items = layout[slot].type->value->list;
            const std::size_t count = items ? items->size(*whole->at(slot)) : 0;
            first = count - std::min(count, member.get_array().size());
        }
        member = messages_for_client(member, name, first);
    }
}

value messages_of_client(const value& messages, std::string_view where)
{
    // One message is as good as a list of one, as LangGraph has it.
    if (!messages.is_array()) return array{message_from_langchain(messages, where)};
    array result;
    for (const value& one : messages.get_array())
        result.push_back(message_from_langchain(one, std::string{where} + '[' + std::to_string(result.size()) + ']'));
    return result;
}

[[noreturn]] void refuse_key(const state_layout& layout, std::string_view name, std::string_view where)
{
    const std::string known = joined_text(layout.names());
    throw http_error{422, "unknown_key",
                     std::string{where} + '.' + std::string{name} + ": the graph has no such key; it has: " + known};
}

void add_item(state_update& to, const state_layout::slot& key, value_ptr box, bool is_overwrite)
{
    // The key of a file's graph has no C++ object: its name, its hash and its type are all there is to it.
    to.items().push_back({any_state_key{key.name, hash_of_name(key.name), key.type}, std::move(box), is_overwrite});
}

/** Items of a list, if the reducer takes one at a time. */
bool takes_items(const key_type& type, const value& from) noexcept
{
    return type.has_reducer && type.value->list && type.update != type.value && from.is_array();
}

state_update read_writes(const graph& of, const object& values, std::string_view where, bool is_overwrite)
{
    const state_layout& layout = *of.layout();
    state_update result;
    for (const auto& [name, given] : values) {
        const std::uint32_t slot = layout.find(name);
        if (slot == state_layout::none || layout[slot].type->is_transient) refuse_key(layout, name, where);
        const state_layout::slot& key = layout[slot];
        const std::string path = std::string{where} + '.' + std::string{name};
        try {
            // In place of a copy of the whole list, which is what a conversation would cost in each run.
            const value from = has_messages(*key.type) ? messages_of_client(given, path) : given;
            if (is_overwrite)
                add_item(result, key, key.type->value->from_json(from), true);
            else if (takes_items(*key.type, from))
                for (const value& item : from.get_array())
                    add_item(result, key, key.type->update->from_json(item), false);
            else
                add_item(result, key, key.type->update->from_json(from), false);
        } catch (const error& wrong) {
            throw http_error{422, "invalid_value", path + ": " + wrong.what()};
        }
    }
    return result;
}

}  // namespace

bool has_messages(const key_type& type) noexcept
{
    return type.value == &value_type_of<std::vector<message>> || type.value == &value_type_of<list<message>>;
}

value value_for_client(const key_type& type, std::string_view name, const value_box& box)
{
    value json = type.value->to_json(box);
    return has_messages(type) && json.is_array() ? messages_for_client(json, name, 0) : json;
}

value item_for_client(const key_type& type, std::string_view name, const value_box& list, std::size_t index)
{
    value item = type.value->list->item(list, index);
    return has_messages(type) ? message_for_client(item, name, index) : item;
}

object values_for_client(const state& of)
{
    object values = of.to_json();
    show_messages(values, of.layout(), nullptr);
    return values;
}

bool has_conversation(const graph& of) noexcept
{
    const state_layout& layout = *of.layout();
    for (std::uint32_t slot = 0; slot < layout.size(); ++slot)
        if (has_messages(*layout[slot].type)) return true;
    return false;
}

object writes_for_client(const written_values& of)
{
    object writes = of.writes();
    show_messages(writes, of.state().layout(), &of.state());
    return writes;
}

state_update read_update(const graph& of, const object& values, std::string_view where)
{
    return read_writes(of, values, where, false);
}

state_update read_values(const graph& of, const object& values, std::string_view where)
{
    return read_writes(of, values, where, true);
}

}  // namespace weft::serve_detail
