#include <weft/tool/mcp_server/mcp_peer.hpp>

#include <weft/base/json/json_peek.hpp>

#include <algorithm>
#include <array>

namespace weft {

namespace {

/** From the least to the greatest. */
constexpr std::array<std::string_view, 8> mcp_log_levels{"debug", "info",     "notice", "warning",
                                                         "error", "critical", "alert",  "emergency"};

std::size_t rank_of_level(std::string_view level) noexcept
{
    const auto* const found = std::find(mcp_log_levels.begin(), mcp_log_levels.end(), level);
    return static_cast<std::size_t>(found - mcp_log_levels.begin());
}

}  // namespace

bool is_mcp_log_level(std::string_view level) noexcept { return rank_of_level(level) < mcp_log_levels.size(); }

bool mcp_peer::elicits(std::string_view mode) const noexcept
{
    const boost::json::object* const how = peek_object(capabilities, "elicitation");
    if (!how) return false;
    // A client that says nothing more can do what there was first: forms.
    if (mode == "form") return how->contains("form") || !how->contains("url");
    return how->contains(mode);
}

bool mcp_peer::samples() const noexcept { return peek_object(capabilities, "sampling") != nullptr; }
bool mcp_peer::has_roots() const noexcept { return peek_object(capabilities, "roots") != nullptr; }

bool mcp_peer::hears(std::string_view level) const noexcept
{
    if (log_level.empty()) return era == mcp_era::legacy;
    return rank_of_level(level) >= rank_of_level(log_level);
}

}  // namespace weft
