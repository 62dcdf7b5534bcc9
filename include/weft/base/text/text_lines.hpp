#pragma once

#include <weft/base/text/text_position.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace weft {

/** Finds many places of one text: a place costs the logarithm of its lines, where `position_in` reads all before it.
 *
 *  @par Lifetimes   The text outlives it.
 */
class text_lines {
public:
    /** Reads the text once. */
    explicit text_lines(std::string_view text);

    /** The place of a byte, as `position_in` says it. */
    [[nodiscard]] text_position at(std::size_t offset) const noexcept;

private:
    [[nodiscard]] std::size_t points_before(std::size_t offset) const noexcept;

    std::string_view text_;
    std::vector<std::size_t> starts_;  // of lines
    std::vector<std::size_t> points_;  // code points before each block of bytes
};

}  // namespace weft
