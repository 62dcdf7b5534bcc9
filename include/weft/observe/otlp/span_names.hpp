#pragma once

#include <weft/base/text/span.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace weft {

/** Which generation of OpenTelemetry's names for generative AI spans have. */
enum class span_dialect : std::uint8_t {
    v1_36,   ///< Semantic conventions 1.36: what most receivers of 2025 know, `gen_ai.system` among it.
    v1_41,   ///< 1.41, the last numbered ones.
    latest,  ///< The repository semantic-conventions-genai, which has no release yet.
};

/** `1.36`, `1.41` or `latest`; nothing for anything else. */
[[nodiscard]] std::optional<span_dialect> span_dialect_named(std::string_view name) noexcept;

/** The name of an attribute; empty if the dialect has none, so that it is left out. Names of what weft alone has begin
 *  with `weft.`. This is the one table of them. */
[[nodiscard]] std::string_view name_of(span_key key, span_dialect dialect) noexcept;

/** The schema that the names follow; empty for `latest`, which has none. */
[[nodiscard]] std::string_view schema_url_of(span_dialect dialect) noexcept;

}  // namespace weft
