#include <weft/net/http_request.hpp>

#include <weft/async/async_generator.hpp>
#include <weft/base/error.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace weft {

namespace {

/** Fields that decide where a message ends or whose it is; two opinions on them are how requests are smuggled. What
 *  is for a proxy comes from `http_proxy`, so that it never reaches an origin. */
constexpr std::array<std::string_view, 10> reserved_names = {
    "host", "content-length", "transfer-encoding",   "connection",      "expect",
    "te",   "trailer",        "proxy-authorization", "proxy-connection", "upgrade"};

void refuse_reserved_name(std::string_view name)
{
    const bool is_reserved = std::any_of(reserved_names.begin(), reserved_names.end(),
                                         [&](std::string_view own) { return equals_ignoring_case(name, own); });
    if (is_reserved)
        throw error{errc::invalid_configuration, "HTTP header " + std::string{name},
                    "the client sets it; leave it out"};
}

}  // namespace

http_request::http_request(std::string method, url target) : method_{std::move(method)}, target_{std::move(target)}
{
    if (!is_http_token(method_))
        throw error{errc::invalid_configuration, "HTTP method", "it must be a token such as GET or POST"};
}

http_request& http_request::header(std::string_view name, std::string_view value)
{
    refuse_reserved_name(name);
    headers_.set(name, value);
    return *this;
}

http_request& http_request::secret(std::string name, secret_string value, std::string prefix)
{
    refuse_reserved_name(name);
    check_header(name, value.reveal());
    check_header(name, prefix.substr(0, prefix.find_last_not_of(' ') + 1));  // "Bearer " ends with its blank
    secrets_.push_back({std::move(name), std::move(prefix), std::move(value)});
    return *this;
}

http_request& http_request::bearer(secret_string token)
{
    return secret("Authorization", std::move(token), "Bearer ");
}

http_request& http_request::idempotency_key(std::string_view key)
{
    headers_.set("Idempotency-Key", key);
    has_idempotency_key_ = true;
    return *this;
}

bool http_request::is_repeatable() const noexcept
{
    constexpr std::array<std::string_view, 6> idempotent = {"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"};
    if (streams_body()) return false;
    return has_idempotency_key_ || std::find(idempotent.begin(), idempotent.end(), method_) != idempotent.end();
}

http_request& http_request::body(std::string content, std::string_view content_type)
{
    body_ = std::move(content);
    pieces_ = nullptr;
    if (!content_type.empty()) headers_.set("Content-Type", content_type);
    return *this;
}

http_request& http_request::body(async_generator<std::string> pieces, std::string_view content_type)
{
    body(std::string{}, content_type);
    pieces_ = std::make_shared<async_generator<std::string>>(std::move(pieces));
    return *this;
}

async_generator<std::string> http_request::take_pieces() noexcept { return std::move(*pieces_); }

http_request& http_request::timeouts(http_timeouts limits) noexcept
{
    timeouts_ = limits;
    return *this;
}

}  // namespace weft
