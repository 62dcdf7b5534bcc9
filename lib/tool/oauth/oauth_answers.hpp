#pragma once

#include <weft/tool/oauth/oauth_tokens.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

/** What an authorization server answers, read; decides nothing. */
namespace weft::tool_detail {

struct token_answer {
    secret_string access{};  ///< Empty: there is no token that can be used, and `refused` says why.
    secret_string refresh{};
    std::string scope{};
    std::optional<std::chrono::seconds> expires_in{};
    std::string error_code{};  ///< E.g. `invalid_grant`; untrusted.
    std::string refused{};     ///< For people, not yet scrubbed of secrets.
};

/** @par Source   RFC 6749 §5. */
[[nodiscard]] token_answer read_token_answer(int status, std::string_view body);

struct registration_answer {
    oauth_registration client{};  ///< Its `id` is empty if there is none.
    std::string refused{};
};

/** @par Source   RFC 7591 §3.2. */
[[nodiscard]] registration_answer read_registration_answer(int status, std::string_view body);

/** The metadata of a client, to register it. @par Source  RFC 7591 §2; OpenID Connect Dynamic Registration §2. */
struct registration_wish {
    std::string name{};
    std::string redirect_uri{};
    bool is_native = true;  ///< The redirect leads to the person's own machine.
    std::string method{};
    std::string scope{};
};
[[nodiscard]] std::string registration_text(const registration_wish& wish);

}  // namespace weft::tool_detail
