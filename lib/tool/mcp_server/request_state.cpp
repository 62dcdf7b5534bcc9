#include "request_state.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_peek.hpp>
#include <weft/base/text/base64.hpp>
#include <weft/net/text/digest.hpp>

#include <boost/json/serialize.hpp>

#include <chrono>
#include <utility>

namespace weft::mcp_detail {

namespace {

constexpr std::size_t state_bytes_max = 256 * 1024;

std::int64_t seconds_of(clock::system_time_point moment)
{
    return std::chrono::duration_cast<std::chrono::seconds>(moment.time_since_epoch()).count();
}

}  // namespace

std::string request_state::sign(std::string_view text, std::string_view bound) const
{
    std::string signed_text{text};
    signed_text.append(1, '\n').append(bound);
    return to_base64url(net_detail::hmac_sha256(key_.reveal(), signed_text));
}

std::string request_state::seal(const boost::json::object& answers, std::string_view bound,
                                clock::system_time_point expires) const
{
    boost::json::object body;
    body["answers"] = answers;
    body["expires"] = seconds_of(expires);
    const std::string text = to_base64url(boost::json::serialize(body));
    return text + "." + sign(text, bound);
}

std::optional<boost::json::object> request_state::open(std::string_view sealed, std::string_view bound,
                                                       clock::system_time_point now) const
{
    if (sealed.size() > state_bytes_max) return std::nullopt;
    const std::size_t dot = sealed.find('.');
    if (dot == sealed.npos) return std::nullopt;
    // Nothing is read before its signature is known to be right.
    const std::string_view text = sealed.substr(0, dot);
    if (!net_detail::is_same_digest(sign(text, bound), sealed.substr(dot + 1))) return std::nullopt;
    const std::optional<std::string> json = from_base64url(text);
    if (!json) return std::nullopt;
    boost::json::value body;
    try {
        body = parse_json(*json);
    } catch (const error&) {
        return std::nullopt;
    }
    boost::json::object* const in = body.if_object();
    const std::optional<std::int64_t> expires = in ? peek_count(*in, "expires") : std::nullopt;
    boost::json::object* const answers = in && in->contains("answers") ? in->at("answers").if_object() : nullptr;
    if (!answers || !expires || *expires < seconds_of(now)) return std::nullopt;
    return std::move(*answers);
}

}  // namespace weft::mcp_detail
