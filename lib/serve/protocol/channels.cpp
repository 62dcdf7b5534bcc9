#include "channels.hpp"

#include <weft/net/server/http_error.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>

namespace weft::serve_detail {

namespace {

// The last two are weft's: what chats of Sulla wait for.
constexpr std::array<std::string_view, 11> known_channels{"values",      "updates", "messages", "tools",
                                                          "lifecycle",   "input",   "checkpoints", "tasks",
                                                          "custom",      "completion", "completion:nested"};
constexpr std::string_view custom_prefix = "custom:";

/** In the second protocol what is wrong here is a bad request. */
[[noreturn]] void refuse_channels(const field& field, std::string_view why)
{
    throw http_error{400, "invalid_argument", field.place() + ": " + std::string{why}};
}

std::string checked_channel(const boost::json::value& given, const field& field)
{
    const std::string_view name = given.is_string() ? std::string_view{given.get_string()} : std::string_view{};
    const bool is_known = std::find(known_channels.begin(), known_channels.end(), name) != known_channels.end() ||
                          (name.starts_with(custom_prefix) && name.size() > custom_prefix.size());
    if (is_known) return std::string{name};
    std::string all;
    for (const std::string_view channel : known_channels) all.append(channel).append(", ");
    refuse_channels(field, "expected some of " + all + "custom:NAME");
}

channel_filter::path path_in(const boost::json::value& given, const field& field)
{
    channel_filter::path result;
    if (!given.is_array()) refuse_channels(field, "expected lists of strings");
    for (const boost::json::value& name : given.get_array()) {
        if (!name.is_string()) refuse_channels(field, "expected lists of strings");
        result.emplace_back(name.get_string());
    }
    return result;
}

}  // namespace

channel_filter channel_filter::read(const boost::json::object& from, const channel_fields& fields)
{
    channel_filter filter;
    // To leave them out is a bad request as well, and not the 422 of other members.
    const bool is_there = fields.channels.is_in(from);
    const boost::json::value* const channels = is_there ? fields.channels.in(from) : nullptr;
    if (!channels || !channels->is_array() || channels->get_array().empty())
        refuse_channels(fields.channels, "expected a list of channels");
    for (const boost::json::value& channel : channels->get_array())
        filter.channels_.push_back(checked_channel(channel, fields.channels));
    if (const boost::json::value* const spaces = fields.namespaces.in(from)) {
        if (!spaces->is_array()) refuse_channels(fields.namespaces, "expected a list");
        for (const boost::json::value& space : spaces->get_array())
            filter.namespaces_.push_back(path_in(space, fields.namespaces));
    }
    if (const auto depth = fields.depth.in(from)) filter.depth_ = static_cast<std::size_t>(*depth);
    return filter;
}

bool channel_filter::wants(std::string_view channel) const noexcept
{
    return std::find(channels_.begin(), channels_.end(), channel) != channels_.end();
}

bool channel_filter::wants_custom(std::string_view name) const noexcept
{
    return std::any_of(channels_.begin(), channels_.end(), [name](std::string_view channel) {
        if (channel == "custom") return true;
        return channel.starts_with(custom_prefix) && channel.substr(custom_prefix.size()) == name;
    });
}

bool channel_filter::reaches(const path& where) const noexcept
{
    if (namespaces_.empty()) return !depth_ || where.size() <= *depth_;
    return std::any_of(namespaces_.begin(), namespaces_.end(), [&](const path& space) {
        if (where.size() < space.size() || !std::equal(space.begin(), space.end(), where.begin())) return false;
        return !depth_ || where.size() - space.size() <= *depth_;
    });
}

}  // namespace weft::serve_detail
