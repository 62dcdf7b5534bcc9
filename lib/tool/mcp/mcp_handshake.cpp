#include <weft/tool/mcp/mcp_handshake.hpp>

#include <weft/base/error.hpp>
#include <weft/base/json/json_peek.hpp>

#include "tool/rpc/mcp_text.hpp"

#include <algorithm>
#include <utility>

namespace weft {

namespace {

using boost::json::object;

constexpr std::size_t name_bytes_max = 200;
constexpr std::size_t instructions_bytes_max = 16 * 1024;

bool is_known_version(std::span<const std::string_view> known, std::string_view version) noexcept
{
    return std::find(known.begin(), known.end(), version) != known.end();
}

/** The newest of `known` that the server names. */
std::string_view newest_common_version(std::span<const std::string_view> known, const boost::json::array& named)
{
    for (const std::string_view version : known)
        for (const boost::json::value& offered : named)
            if (offered.is_string() && offered.get_string() == version) return version;
    return {};
}

std::string version_list_text(const boost::json::array& named)
{
    std::string text;
    for (const boost::json::value& version : named) {
        if (!version.is_string()) continue;
        text.append(text.empty() ? "" : ", ").append(mcp_detail::harmless_text(version.get_string(), 40));
        if (text.size() > 200) break;
    }
    return text.empty() ? "none" : text;
}

/** Statuses that say something about the request and not about the eras a server knows. */
bool is_about_access(int status) noexcept
{
    const bool is_redirect = status >= 300 && status < 400;
    return is_redirect || status == 401 || status == 403 || status == 407 || status == 408 || status == 429 ||
           status >= 500;
}

}  // namespace

mcp_handshake::mcp_handshake(mcp_wire wire, mcp_era_choice choice, std::string where)
    : wire_{wire}, choice_{choice}, where_{std::move(where)},
      next_{choice == mcp_era_choice::legacy_only ? step::initialize : step::discover},
      version_{choice == mcp_era_choice::legacy_only ? mcp_legacy_versions.front() : mcp_modern_versions.front()}
{
}

void mcp_handshake::on_result(const boost::json::value& result)
{
    static const object nothing;
    const object& in = result.is_object() ? result.get_object() : nothing;
    if (next_ == step::discover)
        discovered(in);
    else
        initialized(in);
}

void mcp_handshake::discovered(const object& result)
{
    const boost::json::array* supported = peek_array(result, "supportedVersions");
    if (!supported && !peek_object(result, "capabilities")) return go_legacy(mcp_legacy_versions.front());
    if (supported && newest_common_version(mcp_modern_versions, *supported).empty())
        return choose_among(*supported, false);
    agree(mcp_era::modern, version_, result);
}

/** A server of the modern era named the revisions that it speaks, and ours is not among them or was refused. */
void mcp_handshake::choose_among(const boost::json::array& supported, bool may_ask_again)
{
    const std::string_view modern = newest_common_version(mcp_modern_versions, supported);
    if (may_ask_again && !modern.empty() && modern != version_) {
        version_ = modern;
        return;
    }
    const std::string_view legacy = newest_common_version(mcp_legacy_versions, supported);
    if (!legacy.empty()) return go_legacy(legacy);
    fail(errc::mcp_unsupported, "the server speaks " + version_list_text(supported) + ", weft up to " +
                                    std::string{mcp_modern_versions.front()});
}

void mcp_handshake::go_legacy(std::string_view version)
{
    if (choice_ == mcp_era_choice::modern_only)
        return fail(errc::mcp_unsupported,
                    "the server does not speak " + version_ + "; allow the legacy era in the client's options");
    next_ = step::initialize;
    version_ = version;
}

void mcp_handshake::initialized(const object& result)
{
    const std::string_view answered = peek_text(result, "protocolVersion");
    if (!is_known_version(mcp_legacy_versions, answered))
        return fail(errc::mcp_unsupported, "the server answered 'initialize' with the revision '" +
                                               mcp_detail::harmless_text(answered, 40) + "', weft speaks " +
                                               std::string{mcp_legacy_versions.back()} + " to " +
                                               std::string{mcp_legacy_versions.front()});
    agree(mcp_era::legacy, std::string{answered}, result);
}

void mcp_handshake::agree(mcp_era era, std::string version, const object& result)
{
    next_ = step::done;
    agreement_.era = era;
    agreement_.version = std::move(version);
    if (const object* capabilities = peek_object(result, "capabilities"))
        agreement_.capabilities = *capabilities;
    const object* info = peek_object(result, "serverInfo");
    const object* meta = peek_object(result, "_meta");
    if (!info && meta) info = peek_object(*meta, "io.modelcontextprotocol/serverInfo");
    if (info) {
        agreement_.server_name = mcp_detail::harmless_text(peek_text(*info, "name"), name_bytes_max);
        agreement_.server_version = mcp_detail::harmless_text(peek_text(*info, "version"), name_bytes_max);
    }
    agreement_.instructions =
        mcp_detail::harmless_text(peek_text(result, "instructions"), instructions_bytes_max);
}

void mcp_handshake::on_refusal(const mcp_refusal& said)
{
    if (is_about_access(said.http_status)) {
        failure_ = mcp_refused(where_, said);
        next_ = step::failed;
    } else if (next_ == step::discover) {
        discovery_refused(said);
    } else if (wire_ == mcp_wire::http && !said.why &&
               (said.http_status == 400 || said.http_status == 404 || said.http_status == 405)) {
        fail(errc::mcp_unsupported,
             "HTTP status " + std::to_string(said.http_status) +
                 " for 'initialize': check the path of the URL; a server with the HTTP+SSE transport of 2024-11-05 "
                 "only, which weft does not speak, answers so too",
             said);
    } else {
        failure_ = mcp_refused(where_, said);
        next_ = step::failed;
    }
}

void mcp_handshake::discovery_refused(const mcp_refusal& said)
{
    const std::int64_t code = said.why ? said.why->code : 0;
    if (code == json_rpc_code::unsupported_version) {
        const object* data = said.why->data.if_object();
        const boost::json::array* supported = data ? peek_array(*data, "supported") : nullptr;
        return choose_among(supported ? *supported : boost::json::array{}, true);
    }
    if (code == json_rpc_code::header_mismatch || code == json_rpc_code::missing_capability) {
        failure_ = mcp_refused(where_, said);
        next_ = step::failed;
        return;
    }
    go_legacy(mcp_legacy_versions.front());
}

void mcp_handshake::on_silence()
{
    if (next_ == step::discover && wire_ == mcp_wire::pipe) return go_legacy(mcp_legacy_versions.front());
    fail(errc::timeout, std::string{"the server did not answer '"} +
                            (next_ == step::discover ? "server/discover" : "initialize") + "' in time");
}

void mcp_handshake::fail(errc code, std::string detail, mcp_refusal said)
{
    failure_.emplace(code, where_, std::move(detail), std::move(said));
    next_ = step::failed;
}

}  // namespace weft
