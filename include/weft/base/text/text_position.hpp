#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

/** A place in a text, as editors count. */
struct text_position {
    std::uint32_t line = 1;    ///< From 1.
    std::uint32_t column = 1;  ///< From 1, in code points.

    /** `line 3, column 14` */
    [[nodiscard]] std::string text() const;
    friend constexpr auto operator<=>(const text_position&, const text_position&) noexcept = default;
};

/** The place of a byte of UTF-8 text. */
[[nodiscard]] text_position position_in(std::string_view text, std::size_t offset) noexcept;

}  // namespace weft
