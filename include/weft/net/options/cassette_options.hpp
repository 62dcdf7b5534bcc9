#pragma once

#include <weft/net/secret_string.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** How fast a cassette replays. */
enum class cassette_timing {
    recorded,  ///< Each piece at the time at which it came.
    none,      ///< Everything at once.
};

/** What a `cassette` keeps to itself, and how much it takes. */
struct cassette_options {
    /** Headers whose value is hidden, in requests and responses, besides those that are hidden anyway:
     *  `Authorization`, `Cookie`, `Set-Cookie`, `Api-Key`, `X-Api-Key`, `X-Goog-Api-Key`, `X-Auth-Token`,
     *  `X-Amz-Security-Token`, `Proxy-Authorization`. */
    std::vector<std::string> hidden_headers{};
    /** Parameters whose value is hidden in addresses, those of `Location` included, and in posted forms, besides `key`,
     *  `api_key`, `api-key`, `apikey`, `access_token`, `refresh_token`, `id_token`, `token`, `sig`, `signature`,
     *  `password`, `secret`, `client_secret`, `client_assertion`, `code`, `auth`, `X-Amz-Signature`,
     *  `X-Amz-Security-Token`. */
    std::vector<std::string> hidden_parameters{};
    /** Members whose text is hidden at any depth of a JSON body, in requests and responses, besides those of
     *  `hidden_member_names`. */
    std::vector<std::string> hidden_members{};
    /** Texts that are hidden wherever they stand, as the secrets of each request are. */
    std::vector<secret_string> secrets{};
    cassette_timing timing = cassette_timing::recorded;
    /** Largest file, and most that is recorded. */
    std::size_t bytes_max = 64 * 1024 * 1024;
};

/** Members of JSON bodies whose text is always hidden. */
inline constexpr std::array<std::string_view, 9> hidden_member_names = {
    "api_key",       "apikey",       "api-key",       "password", "secret",
    "client_secret", "access_token", "refresh_token", "id_token"};

}  // namespace weft
