#include <weft/agent/conversation/training_conversation.hpp>

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_text.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

namespace weft {

namespace {

namespace json = boost::json;

/** A message out of a list of messages, or out of an entry of a conversation; nothing if it is neither, or a mark. */
std::optional<message> message_in(const json::value& item, std::string& lane)
{
    const json::object* fields = item.if_object();
    if (!fields) return std::nullopt;
    const json::value* const inside = fields->if_contains("message");
    if (inside && fields->if_contains("kind")) {
        const json::string* const kind = fields->at("kind").if_string();
        if (!kind || *kind != "said") return std::nullopt;
    }
    if (const json::value* const named = inside ? fields->if_contains("lane") : nullptr; named && named->is_string())
        lane = named->get_string();
    const json::value& said = inside ? *inside : item;
    if (!said.is_object() || !said.get_object().contains("role")) return std::nullopt;
    try {
        return from_json<message>(said);
    } catch (const error&) {
        return std::nullopt;
    }
}

std::string tool_name_of(const std::vector<message>& said, const std::string& call_id)
{
    for (const message& one : said)
        for (const tool_call& call : one.tool_calls)
            if (call.id == call_id) return call.name;
    return {};
}

/** The text of a message: what was said, refusals too, and where a picture was. */
std::string plain_text(const message& said)
{
    std::string text;
    for (const content_part& part : said.content)
        std::visit(
            [&](const auto& one) {
                using type = std::decay_t<decltype(one)>;
                if constexpr (std::is_same_v<type, image_part>) text += one.url.empty() ? "[image]" : one.url;
                else if constexpr (!std::is_same_v<type, reasoning_part>) text += one.text;
            },
            part);
    return text;
}

json::object openai_message(const message& said, const secret_scrubber& scrubber)
{
    json::object one{{"role", name_of(said.role)}};
    const std::string text = scrubber.clean(plain_text(said));
    const bool only_calls = text.empty() && !said.tool_calls.empty();
    one["content"] = only_calls ? json::value(nullptr) : json::value(text);
    if (!said.name.empty() && said.role != role::tool) one["name"] = said.name;
    if (said.role == role::tool) one["tool_call_id"] = said.tool_call_id;
    json::array calls;
    for (const tool_call& call : said.tool_calls)
        calls.push_back(json::object{
            {"id", call.id},
            {"type", "function"},
            {"function", json::object{{"name", call.name}, {"arguments", scrubber.clean(call.arguments)}}}});
    if (!calls.empty()) one["tool_calls"] = std::move(calls);
    return one;
}

void add_sharegpt(json::array& to, const message& said, const std::vector<message>& all,
                  const secret_scrubber& scrubber)
{
    const auto add = [&](std::string_view from, std::string value) {
        to.push_back(json::object{{"from", from}, {"value", std::move(value)}});
    };
    const std::string text = scrubber.clean(plain_text(said));
    switch (said.role) {
    case role::system: return add("system", text);
    case role::user: return add("human", text);
    case role::tool:
        return add("observation", to_json_text(json::object{{"name", tool_name_of(all, said.tool_call_id)},
                                                            {"content", text}}));
    case role::assistant: break;
    }
    if (!text.empty() || said.tool_calls.empty()) add("gpt", text);
    for (const tool_call& call : said.tool_calls)
        add("function_call", to_json_text(json::object{{"name", call.name},
                                                       {"arguments", scrubber.clean(call.arguments)}}));
}

}  // namespace

std::vector<state_conversation> conversations_in(const boost::json::object& state, std::string_view key)
{
    std::vector<state_conversation> found;
    for (const auto& member : state) {
        const json::array* const items = member.value().if_array();
        if (!items || (!key.empty() && member.key() != key)) continue;
        std::map<std::string, std::vector<message>> lanes;
        for (const json::value& item : *items) {
            std::string lane;
            if (std::optional<message> said = message_in(item, lane)) lanes[lane].push_back(*std::move(said));
        }
        for (auto& [lane, messages] : lanes) found.push_back({std::string{member.key()}, lane, std::move(messages)});
    }
    return found;
}

std::optional<boost::json::object> training_example(const std::vector<message>& said, training_format format,
                                                    const secret_scrubber& scrubber)
{
    const auto is_by = [](role speaker) { return [speaker](const message& one) { return one.role == speaker; }; };
    const auto last = std::find_if(said.rbegin(), said.rend(), is_by(role::assistant)).base();
    if (std::none_of(said.begin(), last, is_by(role::user))) return std::nullopt;
    json::array messages;
    for (auto one = said.begin(); one != last; ++one) {
        if (format == training_format::openai) messages.push_back(openai_message(*one, scrubber));
        else add_sharegpt(messages, *one, said, scrubber);
    }
    const char* const member = format == training_format::openai ? "messages" : "conversations";
    return json::object{{member, std::move(messages)}};
}

}  // namespace weft
