#pragma once

#include "recorded_exchange.hpp"

#include <weft/net/options/cassette_options.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace weft::net_detail {

/** What stands in a recording in place of a value that is hidden. */
inline constexpr std::string_view hidden_value = "***";

[[nodiscard]] bool is_hidden_header(std::string_view name, const cassette_options& options);

/** `text`, a URL or a reference, with the values of the parameters hidden that the options list: of its query and of
 *  its fragment.
 *  @param is_query   The text begins with the first parameter, as a form that is posted. */
[[nodiscard]] std::string without_parameters(std::string_view text, const cassette_options& options,
                                             bool is_query = false);

/** Hides what the options list by name in the address and body of a request. Hiding twice changes nothing, so that a
 *  request which an older version has recorded is known again. */
void hide_names(recorded_request& request, const cassette_options& options);

/** The texts that the listed members of a JSON document have; none if `body` is something else. */
[[nodiscard]] std::vector<secret_string> secrets_in_members(std::string_view body, const cassette_options& options);

}  // namespace weft::net_detail
