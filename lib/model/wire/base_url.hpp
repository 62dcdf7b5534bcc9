#pragma once

#include <weft/net/url.hpp>

#include <string>
#include <string_view>

namespace weft::model_detail {

/** Refuses a base URL that goes on to what weft adds itself.
 *
 *  @par Errors   `errc::invalid_url`. */
void refuse_whole_address(const url& base, std::string_view added);

/** The address of an endpoint below a base URL.
 *
 *  @param added   With a slash at its beginning, e.g. `/messages`.
 *  @par Errors    `errc::invalid_url`: it is no URL, or goes on to `added` itself. */
[[nodiscard]] url target_below(const std::string& base_url, std::string_view added);

}  // namespace weft::model_detail
