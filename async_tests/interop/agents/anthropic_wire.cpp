// What Anthropic's API demands of a conversation, looked at in the requests as they came over the wire.

#include "checks.hpp"

#include <boost/json/serialize.hpp>

#include <set>
#include <string>

namespace interop::agents {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

/** The ids of the blocks of a kind in a message. */
std::set<std::string> ids_in(const object& message, std::string_view type, std::string_view member)
{
    std::set<std::string> ids;
    if (!message.at("content").is_array()) return ids;
    for (const value& block : message.at("content").as_array())
        if (block.at("type").as_string() == type) ids.insert(block.at(member).as_string().c_str());
    return ids;
}

/** Whether nothing but results stands before the last result. */
bool stand_first(const object& message)
{
    bool is_over = false;
    for (const value& block : message.at("content").as_array()) {
        const bool is_result = block.at("type").as_string() == "tool_result";
        if (is_result && is_over) return false;
        is_over = is_over || !is_result;
    }
    return true;
}

void check_talk(const array& messages)
{
    std::set<std::string> open;
    std::string before = "assistant";
    for (const value& one : messages) {
        const object& message = one.as_object();
        const std::string speaker = message.at("role").as_string().c_str();
        expect("whether speakers take turns", speaker == before, false);
        before = speaker;
        const std::set<std::string> results = ids_in(message, "tool_result", "tool_use_id");
        expect("whether all calls have their results, and at once", results == open, true);
        if (!results.empty()) expect("whether results stand first", stand_first(message), true);
        open = ids_in(message, "tool_use", "id");
    }
    expect("who has the last word", before, "user");
}

}  // namespace

void check_anthropic_wire(const mock_server& server)
{
    std::size_t count = 0;
    for (const value& entry : server.wire()) {
        const object& body = entry.at("body").as_object();
        expect("the address", entry.at("path").as_string(), "/v1/messages");
        expect("whether there is a limit of tokens", body.contains("max_tokens"), true);
        const bool names_version = entry.at("headers").as_object().contains("anthropic-version");
        expect("whether it says which version of the API", names_version, true);
        check_talk(body.at("messages").as_array());
        ++count;
    }
    expect("whether there were requests", count > 20, true);
}

}  // namespace interop::agents
