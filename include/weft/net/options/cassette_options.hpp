#pragma once

#include <weft/net/secret_string.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace weft {

/** How fast a cassette replays. */
enum class cassette_timing {
    recorded,  ///< Each piece at the time at which it came.
    none,      ///< Everything at once.
};

/** What a `cassette` keeps to itself, and how much it takes. */
class cassette_options {
public:
    cassette_options() {}

    /** Hides the value of a header, in requests and responses, besides those that are hidden anyway:
     *  `Authorization`, `Cookie`, `Set-Cookie`, `Api-Key`, `X-Api-Key`, `X-Goog-Api-Key`, `X-Auth-Token`,
     *  `X-Amz-Security-Token`, `Proxy-Authorization`. */
    cassette_options& hide_header(std::string name) { return hidden_headers_.push_back(std::move(name)), *this; }
    /** Hides the value of a parameter in addresses, those of `Location` included, and in posted forms, besides `key`,
     *  `api_key`, `api-key`, `apikey`, `access_token`, `refresh_token`, `id_token`, `token`, `sig`, `signature`,
     *  `password`, `secret`, `client_secret`, `client_assertion`, `code`, `auth`, `X-Amz-Signature`,
     *  `X-Amz-Security-Token`. */
    cassette_options& hide_parameter(std::string name) { return hidden_parameters_.push_back(std::move(name)), *this; }
    /** Hides the text of a member at any depth of a JSON body, in requests and responses, besides `api_key`, `apikey`,
     *  `api-key`, `password`, `secret`, `client_secret`, `access_token`, `refresh_token`, `id_token`. */
    cassette_options& hide_member(std::string name) { return hidden_members_.push_back(std::move(name)), *this; }
    /** Hides a text wherever it stands, as the secrets of each request are. */
    cassette_options& hide(secret_string secret) { return secrets_.push_back(std::move(secret)), *this; }
    cassette_options& timing(cassette_timing how) noexcept { return timing_ = how, *this; }
    /** Largest file, and most that is recorded. */
    cassette_options& bytes_max(std::size_t size) noexcept { return bytes_max_ = size, *this; }

    [[nodiscard]] const std::vector<std::string>& hidden_headers() const noexcept { return hidden_headers_; }
    [[nodiscard]] const std::vector<std::string>& hidden_parameters() const noexcept { return hidden_parameters_; }
    [[nodiscard]] const std::vector<std::string>& hidden_members() const noexcept { return hidden_members_; }
    [[nodiscard]] const std::vector<secret_string>& secrets() const noexcept { return secrets_; }
    [[nodiscard]] cassette_timing timing() const noexcept { return timing_; }
    [[nodiscard]] std::size_t bytes_max() const noexcept { return bytes_max_; }

private:
    std::vector<std::string> hidden_headers_ = {
        "authorization", "cookie",         "set-cookie",           "api-key",            "x-api-key",
        "x-auth-token",  "x-goog-api-key", "x-amz-security-token", "proxy-authorization"};
    std::vector<std::string> hidden_parameters_ = {
        "key",      "api_key",   "api-key",         "apikey",           "access_token",    "refresh_token",
        "id_token", "token",     "sig",             "signature",        "password",        "secret",
        "code",     "auth",      "client_secret",   "client_assertion", "x-amz-signature", "x-amz-security-token"};
    std::vector<std::string> hidden_members_ = {"api_key",       "apikey",       "api-key",       "password", "secret",
                                                "client_secret", "access_token", "refresh_token", "id_token"};
    std::vector<secret_string> secrets_;
    cassette_timing timing_ = cassette_timing::recorded;
    std::size_t bytes_max_ = 64 * 1024 * 1024;
};

}  // namespace weft
