#include "chat_graph.hpp"

#include "state_wire.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/graph/node/node_writes.hpp>
#include <weft/net/server/http_error.hpp>
#include <weft/tool/call/client_tools.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::array<std::string_view, 6> input_names{"input", "question", "prompt", "query", "message", "text"};
constexpr std::array<std::string_view, 6> output_names{"output", "answer", "reply", "response", "result", "report"};

bool takes_text(const key_type& type)
{
    if (!type.value->schema) return false;
    const value schema = type.value->schema();
    const value* const kind = schema.is_object() ? schema.get_object().if_contains("type") : nullptr;
    return kind && *kind == value("string");
}

/** The first of the names that is one of the keys; empty: none is. */
template <std::size_t Size>
std::string first_of(const std::array<std::string_view, Size>& names, const std::vector<std::string>& keys)
{
    for (const std::string_view name : names)
        if (std::find(keys.begin(), keys.end(), name) != keys.end()) return std::string{name};
    return {};
}

/** The first of the names that is one of the keys, else the only key; empty: there is none, or there are several. */
std::string one_of(const auto& names, const std::vector<std::string>& keys)
{
    std::string named = first_of(names, keys);
    if (named.empty() && keys.size() == 1) named = keys.front();
    return named;
}

struct divided_keys {
    std::vector<std::string> written;
    std::vector<std::string> given;
};

/** The keys that nodes write, and those that they do not. */
divided_keys divided_by_writers(const weft::graph& of, const std::vector<std::string>& keys)
{
    divided_keys result;
    for (const std::string& key : keys) {
        const bool is_written = !nodes_that_write(of, of.layout()->find(key)).empty();
        (is_written ? result.written : result.given).push_back(key);
    }
    return result;
}

std::optional<object> object_in_text(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos || text[first] != '{') return std::nullopt;
    try {
        value parsed = parse_json(text);
        return std::move(parsed.as_object());
    } catch (const error&) {
        return std::nullopt;  // words in braces
    }
}

}  // namespace

chat_graph::chat_graph(const weft::graph& of)
    : name_{of.name()}, client_tools_{key_of_client_tools(*of.layout())}, graph_{of}
{
    const state_layout& layout = *of.layout();
    for (std::uint32_t slot = 0; slot < layout.size(); ++slot) {
        const state_layout::slot& key = layout[slot];
        if (key.type->is_transient) continue;
        keys_.append(keys_.empty() ? "" : ", ").append(key.name);
        if (has_messages(*key.type)) {
            if (messages_.empty() || key.name == "messages") messages_ = key.name;
        } else if (takes_text(*key.type)) {
            texts_.emplace_back(key.name);
        }
    }
    if (!messages_.empty()) return;
    // What nodes write is no input, whatever its name; of nodes that do not declare it, it is not known.
    auto [written, given] = divided_by_writers(of, texts_);
    output_ = one_of(output_names, written);
    if (output_.empty()) output_ = first_of(output_names, texts_);
    std::erase(given, output_);
    text_ = one_of(input_names, given);
    if (text_.empty()) text_ = first_of(input_names, texts_);
}

std::string chat_graph::answer_key() const
{
    if (!messages_.empty()) return messages_;
    // A node that does not say what it writes is known by what it has written, from its first run on.
    return output_.empty() ? one_of(output_names, divided_by_writers(graph_, texts_).written) : output_;
}

object chat_graph::input(array messages, std::string_view text) const
{
    object values;
    if (!messages_.empty()) {
        values[messages_] = std::move(messages);
        return values;
    }
    if (auto given = object_in_text(text)) return std::move(*given);
    if (text_.empty())
        throw http_error{422, "graph_takes_no_text",
                         "the graph '" + name_ + "' has no conversation, and no key for a text: send its values as a "
                         "JSON object; its keys are: " + keys_};
    values[text_] = text;
    return values;
}

std::vector<message> chat_graph::added(const state& left) const
{
    std::vector<message> result;
    if (messages_.empty()) return result;
    const std::uint32_t slot = left.layout().find(messages_);
    if (slot == state_layout::none || !left.at(slot)) return result;
    const list_access& items = *left.layout()[slot].type->value->list;
    for (std::size_t i = items.size(*left.at(slot)); i-- > 0;) {
        message one = boost::json::value_to<message>(items.item(*left.at(slot), i));
        if (one.role == role::user) break;
        result.push_back(std::move(one));
    }
    std::reverse(result.begin(), result.end());
    return result;
}

std::string chat_graph::answer(const state& left) const
{
    if (!messages_.empty()) {
        std::string text;
        for (const message& one : added(left)) {
            if (one.role != role::assistant || !one.tool_calls.empty()) continue;
            const std::string said = one.text();
            if (said.empty()) continue;
            text.append(text.empty() ? "" : "\n\n").append(said);
        }
        return text;
    }
    const std::string key = answer_key();
    const std::uint32_t slot = key.empty() ? state_layout::none : left.layout().find(key);
    if (slot == state_layout::none || !left.at(slot)) return boost::json::serialize(values_for_client(left));
    return std::string{left.layout()[slot].type->value->to_json(*left.at(slot)).as_string()};
}

}  // namespace weft::serve_detail
