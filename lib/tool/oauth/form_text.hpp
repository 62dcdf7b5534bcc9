#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/** Names and values as they stand in the query of a URL and in the body of a form.
 *  @par Source   WHATWG URL, application/x-www-form-urlencoded. */
namespace weft::tool_detail {

using form_fields = std::vector<std::pair<std::string, std::string>>;

[[nodiscard]] std::string form_text(const form_fields& fields);

/** The fields of a query without its `?`, in their order; `+` is a blank, and a `%` without two hexadecimal digits
 *  stands for itself.
 *  @return   Nothing if there are more than `fields_max`. */
[[nodiscard]] std::optional<form_fields> read_form(std::string_view text, std::size_t fields_max);

}  // namespace weft::tool_detail
