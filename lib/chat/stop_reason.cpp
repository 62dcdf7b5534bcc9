#include <weft/chat/stop_reason.hpp>

#include <weft/base/json.hpp>

#include <array>

namespace weft {

namespace json = boost::json;

namespace {

constexpr std::array reasons{
    stop_reason::unfinished,     stop_reason::stop,   stop_reason::tool_calls, stop_reason::length,
    stop_reason::content_filter, stop_reason::paused, stop_reason::unknown,
};

}  // namespace

std::string_view name_of(stop_reason reason) noexcept
{
    switch (reason) {
    case stop_reason::unfinished: return "unfinished";
    case stop_reason::stop: return "stop";
    case stop_reason::tool_calls: return "tool_calls";
    case stop_reason::length: return "length";
    case stop_reason::content_filter: return "content_filter";
    case stop_reason::paused: return "paused";
    case stop_reason::unknown: break;
    }
    return "unknown";
}

void tag_invoke(json::value_from_tag, json::value& out, stop_reason in)
{
    out = json::string_view{name_of(in)};
}

stop_reason tag_invoke(json::value_to_tag<stop_reason>, const json::value& in)
{
    const std::string name = from_json<std::string>(in);
    for (const stop_reason reason : reasons)
        if (name == name_of(reason)) return reason;
    return stop_reason::unknown;
}

}  // namespace weft
