#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::serve_detail {

/** A segment of a path, or a value of a query, with its percent escapes decoded; nothing if one is broken or stands for
 *  a NUL. @param plus_is_blank  As in queries of forms. */
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank = false);

/** The value of a name in a query, decoded; nothing if the name is not there. Of several the first.
 *  @throws http_error  422 if one of its values cannot be decoded. */
[[nodiscard]] std::optional<std::string> query_value(std::string_view query, std::string_view name);

/** All values of a name in a query, decoded, in their order.
 *  @throws http_error  422 if one of them cannot be decoded. */
[[nodiscard]] std::vector<std::string> query_values(std::string_view query, std::string_view name);

/** Parts of a text between commas; empty ones are left out. */
[[nodiscard]] std::vector<std::string> comma_separated(std::string_view text);

}  // namespace weft::serve_detail
