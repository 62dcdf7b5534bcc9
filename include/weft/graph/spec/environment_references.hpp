#pragma once

#include <weft/base/environment.hpp>
#include <weft/base/text/json_path.hpp>
#include <weft/graph/spec/spec_mistake.hpp>

#include <string>
#include <string_view>

namespace weft::spec_detail {

/** Puts the values of variables in place of `${NAME}`, and `${` in place of `$${`.
 *
 *  @param at         Where the text stands; a variable that is not set, or empty, is a mistake there.
 *  @return           The text; as far as possible if there are mistakes. */
[[nodiscard]] std::string resolved(std::string_view text, const environment_lookup& environment, const json_path& at,
                                   spec_mistakes& mistakes);

/** Whether a text is one reference and nothing else. */
[[nodiscard]] bool is_reference(std::string_view text) noexcept;

/** Whether a header of HTTP of this name carries a secret, which does not stand in a file. */
[[nodiscard]] bool is_secret_header(std::string_view name);

}  // namespace weft::spec_detail
