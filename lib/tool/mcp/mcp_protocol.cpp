#include <weft/tool/mcp/mcp_protocol.hpp>

#include <weft/base/error.hpp>
#include <weft/base/json/json_peek.hpp>

#include "tool/rpc/mcp_text.hpp"

#include <utility>

namespace weft {

namespace {

constexpr std::size_t error_text_max = 2048;

}  // namespace

bool mcp_agreement::offers(std::string_view capability) const noexcept
{
    return peek_member(capabilities, capability) != nullptr;
}

bool mcp_agreement::tells_changes_of(std::string_view capability) const noexcept
{
    const boost::json::object* about = peek_object(capabilities, capability);
    return about && peek_flag(*about, "listChanged", false);
}

mcp_error::mcp_error(errc code, std::string where, std::string detail, mcp_refusal said)
    : error{code, std::move(where), std::move(detail)}, said_{std::move(said)}
{
}

mcp_error mcp_refused(std::string where, mcp_refusal said)
{
    std::string detail;
    if (said.why) {
        detail = mcp_detail::harmless_text(said.why->message, error_text_max);
        detail += " (code " + std::to_string(said.why->code) + ")";
    } else {
        detail = "HTTP status " + std::to_string(said.http_status);
    }
    return mcp_error{errc::mcp_refused, std::move(where), std::move(detail), std::move(said)};
}

void add_mcp_modern_meta(boost::json::object& params, std::string_view version, const mcp_identity& client,
                         const boost::json::object& capabilities)
{
    boost::json::value& slot = params["_meta"];
    if (!slot.is_object()) slot = boost::json::object{};
    boost::json::object& meta = slot.get_object();
    meta["io.modelcontextprotocol/protocolVersion"] = version;
    meta["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    boost::json::object info;
    info["name"] = client.name;
    info["version"] = client.version;
    meta["io.modelcontextprotocol/clientInfo"] = std::move(info);
}

}  // namespace weft
