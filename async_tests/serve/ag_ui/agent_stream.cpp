#include "agent_stream.hpp"

#include <weft/base/json.hpp>
#include <weft/net/sse_parser.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

using boost::json::array;
using boost::json::object;
using boost::json::value;

std::vector<object> agent_events_in(std::string_view body)
{
    std::vector<object> events;
    weft::sse_parser parser;
    parser.feed(body);
    while (const weft::sse_event* const event = parser.next())
        events.push_back(weft::parse_json(event->data).as_object());
    return events;
}

namespace {

std::string text_at(const object& event, std::string_view name)
{
    const value* const found = event.if_contains(name);
    return found && found->is_string() ? std::string{found->get_string()} : std::string{};
}

struct bracket {
    const char* begin;
    const char* inner;
    const char* end;
    const char* id;
};
constexpr bracket brackets[]{
    {"TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "messageId"},
    {"TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "toolCallId"},
    {"REASONING_MESSAGE_START", "REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_END", "messageId"},
    {"REASONING_START", nullptr, "REASONING_END", "messageId"},
    {"STEP_STARTED", nullptr, "STEP_FINISHED", "stepName"},
};

}  // namespace

std::string disorder_in(const std::vector<object>& events)
{
    std::map<const bracket*, std::set<std::string>> open;
    if (events.empty()) return "nothing came";
    for (std::size_t i = 0; i < events.size(); ++i) {
        const std::string type = text_at(events[i], "type");
        const std::string at = std::to_string(i) + ' ' + type + ": ";
        const bool is_last = i + 1 == events.size();
        if ((type == "RUN_STARTED") != (i == 0)) return at + "RUN_STARTED comes first, and once";
        if ((type == "RUN_FINISHED" || type == "RUN_ERROR") != is_last) return at + "one terminal event, the last one";
        for (const bracket& each : brackets) {
            const std::string id = text_at(events[i], each.id);
            if (type == each.begin && !open[&each].insert(id).second) return at + "is open: " + id;
            if (each.inner && type == each.inner && !open[&each].contains(id)) return at + "is not open: " + id;
            if (type == each.end && open[&each].erase(id) == 0) return at + "is not open: " + id;
        }
    }
    for (const auto& [each, ids] : open)
        if (!ids.empty()) return std::string{each->begin} + " is never closed: " + *ids.begin();
    return {};
}

void apply_patch(value& to, const array& patch)
{
    for (const value& one : patch) {
        const std::string op{one.at("op").as_string()};
        std::string path{one.at("path").as_string()};
        const std::size_t slash = path.rfind('/');
        if (slash == path.npos) {
            to = one.at("value");
            continue;
        }
        std::string name = path.substr(slash + 1);
        value& parent = to.at_pointer(path.substr(0, slash));
        for (const auto& [escape, plain] : {std::pair{"~1", "/"}, std::pair{"~0", "~"}})
            for (std::size_t found = name.find(escape); found != name.npos; found = name.find(escape, found + 1))
                name.replace(found, 2, plain);
        if (object* const members = parent.if_object()) {
            if (op == "remove" && members->erase(name) == 0) throw std::runtime_error{"no member " + path};
            if (op == "replace" && !members->contains(name)) throw std::runtime_error{"no member " + path};
            if (op != "remove") (*members)[name] = one.at("value");
            continue;
        }
        array& items = parent.as_array();
        const std::size_t index = name == "-" ? items.size() : std::stoul(name);
        if (index > items.size() || (op != "add" && index == items.size()))
            throw std::runtime_error{"no item " + path};
        const auto place = items.begin() + static_cast<std::ptrdiff_t>(index);
        if (op == "remove") items.erase(place);
        else if (op == "replace") *place = one.at("value");
        else items.insert(place, one.at("value"));
    }
}

void agent_client_view::take(const std::vector<object>& events)
{
    const auto message = [this](const std::string& id, const char* role) -> object& {
        for (value& one : messages)
            if (one.at("id") == value(id)) return one.as_object();
        messages.push_back(object{{"id", id}, {"role", role}});
        return messages.back().as_object();
    };
    std::map<std::string, std::string> parents;
    for (const object& event : events) {
        const std::string type = text_at(event, "type");
        const std::string id = text_at(event, "messageId");
        const std::string call = text_at(event, "toolCallId");
        if (type == "STATE_SNAPSHOT") state = event.at("snapshot");
        if (type == "STATE_DELTA") apply_patch(state, event.at("delta").as_array());
        if (type == "MESSAGES_SNAPSHOT") messages = event.at("messages").as_array();
        if (type == "TEXT_MESSAGE_START") message(id, "assistant")["role"] = event.at("role");
        if (type == "TEXT_MESSAGE_CONTENT") {
            object& one = message(id, "assistant");
            one["content"] = text_at(one, "content") + text_at(event, "delta");
        }
        if (type == "TOOL_CALL_START") {
            const std::string parent = text_at(event, "parentMessageId");
            parents[call] = parent.empty() ? call : parent;
            object& one = message(parents[call], "assistant");
            if (!one.contains("toolCalls")) one["toolCalls"] = array{};
            object function{{"name", event.at("toolCallName")}, {"arguments", ""}};
            one["toolCalls"].as_array().push_back(
                object{{"id", call}, {"type", "function"}, {"function", std::move(function)}});
        }
        if (type == "TOOL_CALL_ARGS")
            for (value& asked : message(parents[call], "assistant").at("toolCalls").as_array())
                if (asked.at("id") == value(call)) {
                    value& arguments = asked.at("function").at("arguments");
                    arguments = std::string{arguments.as_string()} + text_at(event, "delta");
                }
        if (type == "TOOL_CALL_RESULT")
            messages.push_back(object{{"id", id}, {"role", "tool"}, {"toolCallId", call},
                                      {"content", event.at("content")}});
    }
}

const object* agent_client_view::find(std::string_view id) const
{
    for (const value& one : messages)
        if (one.at("id") == value(id)) return &one.get_object();
    return nullptr;
}

std::string kinds_of(const std::vector<object>& events)
{
    std::string result;
    for (const object& event : events) result.append(result.empty() ? "" : " ").append(text_at(event, "type"));
    return result;
}

std::string text_in_events(const std::vector<object>& events)
{
    std::string result;
    for (const object& event : events)
        if (text_at(event, "type") == "TEXT_MESSAGE_CONTENT") result.append(text_at(event, "delta"));
    return result;
}
