#pragma once

#include <weft/net/url.hpp>

#include <string_view>

namespace weft::model_detail {

/** Refuses a base URL that goes on to what weft adds itself.
 *
 *  @par Errors   `errc::invalid_url`. */
void refuse_whole_address(const url& base, std::string_view added);

}  // namespace weft::model_detail
