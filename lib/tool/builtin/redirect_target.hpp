#pragma once

#include <weft/net/url.hpp>

#include <string_view>

namespace weft::tool_detail {

/** Where a redirect leads to.
 *
 *  @param location   The header's value: absolute, or relative to `from`; a fragment is left out.
 *  @par Errors       `errc::invalid_url`.
 *  @par Source       RFC 9110 §10.2.2; RFC 3986 §5.2 without the removal of dot segments, which servers do as well. */
[[nodiscard]] url redirect_target(const url& from, std::string_view location);

}  // namespace weft::tool_detail
