#pragma once

#include "recorded_exchange.hpp"

#include <weft/net/http_request.hpp>
#include <weft/net/options/cassette_options.hpp>
#include <weft/net/options/http_response_head.hpp>

#include <cstddef>
#include <vector>

namespace weft::net_detail {

/** A request as a cassette writes and compares it: without secrets, its JSON with members in order. */
[[nodiscard]] recorded_request recorded_form(const http_request& request, const cassette_options& options);

/** The head of a response, without secrets. */
[[nodiscard]] recorded_response recorded_form(const http_response_head& head, const cassette_options& options,
                                              const std::vector<secret_string>& secrets);

/** The secrets of a request and of the options that are long enough to be looked for in texts. */
[[nodiscard]] std::vector<secret_string> secrets_to_hide(const http_request& request, const cassette_options& options);

/** True if two requests get the same answer. */
[[nodiscard]] bool is_same_request(const recorded_request& a, const recorded_request& b);
/** The same for requests that are the same. */
[[nodiscard]] std::size_t hash_of(const recorded_request& request);

}  // namespace weft::net_detail
