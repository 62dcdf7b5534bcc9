#include "stream_modes.hpp"

#include <weft/base/text/joined_text.hpp>
#include <weft/net/server/http_error.hpp>

#include <algorithm>

namespace weft::serve_detail {

namespace {

void add_mode(stream_modes& to, const boost::json::value& name, std::string_view place)
{
    const auto found = name.is_string() ? stream_mode_named(name.get_string()) : std::nullopt;
    if (found) return to.add(*found);
    throw http_error{422, "invalid_stream_mode",
                     std::string{place} + ": expected one of " + joined_text(stream_mode_names)};
}

}  // namespace

std::optional<stream_mode> stream_mode_named(std::string_view name) noexcept
{
    const auto found = std::find(stream_mode_names.begin(), stream_mode_names.end(), name);
    if (found == stream_mode_names.end()) return std::nullopt;
    return static_cast<stream_mode>(found - stream_mode_names.begin());
}

boost::json::array names_of(const stream_modes& modes)
{
    boost::json::array names;
    for (std::size_t i = 0; i < stream_mode_count; ++i)
        if (modes.has(static_cast<stream_mode>(i))) names.push_back(boost::json::value(stream_mode_names[i]));
    return names;
}

boost::json::object stream_modes_schema()
{
    boost::json::array names;
    for (const std::string_view name : stream_mode_names) names.push_back(boost::json::value(name));
    const boost::json::object mode{{"type", "string"}, {"enum", std::move(names)}};
    boost::json::object result;
    boost::json::array& either = result["anyOf"].emplace_array();
    either.push_back(mode);
    either.push_back(boost::json::object{{"type", "array"}, {"items", mode}});
    return result;
}

stream_modes read_stream_modes(const boost::json::value* given, stream_mode otherwise, std::string_view place)
{
    stream_modes result;
    if (given && given->is_array())
        for (const boost::json::value& name : given->get_array()) add_mode(result, name, place);
    else if (given && !given->is_null())
        add_mode(result, *given, place);
    // An empty list is what a client sends that has no wish.
    if (result.empty()) result.add(otherwise);
    return result;
}

}  // namespace weft::serve_detail
