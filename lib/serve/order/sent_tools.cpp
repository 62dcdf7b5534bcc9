#include "sent_tools.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/tool/call/client_tools.hpp>

#include <array>

namespace weft::serve_detail {

boost::json::object sent_tools_of(const boost::json::object& body)
{
    constexpr std::array<std::string_view, 3> members{"tools", "tool_choice", "parallel_tool_calls"};
    boost::json::object sent;
    for (const std::string_view member : members)
        if (const boost::json::value* const given = body.if_contains(member); given && !given->is_null())
            sent[member] = *given;
    // A choice among no tools: some clients send it always.
    if (!sent.contains("tools")) sent.erase("tool_choice");
    return sent;
}

boost::json::value require_sound_tools(const boost::json::object& sent,
                                       const std::function<void(std::string_view place, std::string why)>& refuse)
{
    try {
        return to_json(from_json<client_tools>(sent));
    } catch (const error& wrong) {
        constexpr std::string_view whole{"$."};
        std::string_view place = wrong.where();
        if (place.starts_with(whole)) place.remove_prefix(whole.size());
        refuse(place, wrong.detail());
        throw;
    }
}

}  // namespace weft::serve_detail
