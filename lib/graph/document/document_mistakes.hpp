#pragma once

#include <weft/base/text/json_path.hpp>
#include <weft/base/text/text_lines.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** Something in a text that a document may not have. */
struct document_mistake {
    text_position at;
    std::string path;
    std::string text;
};

/** The mistakes of a text, in the order in which they are found: `max` of them are listed, all are counted.
 *
 *  @par Lifetimes   The text outlives it.
 */
class document_mistakes {
public:
    document_mistakes(std::string_view text, std::size_t max) noexcept : text_{text}, max_{max} {}

    void add(text_position at, const json_path& path, std::string_view text);
    void add(std::size_t offset, const json_path& path, std::string_view text);

    [[nodiscard]] const std::vector<document_mistake>& list() const noexcept { return list_; }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }  ///< With those beyond `max`.
    /** Where a byte of the text is. The first call reads the whole text. */
    [[nodiscard]] text_position position_at(std::size_t offset);

private:
    std::string_view text_;
    std::size_t max_;
    std::vector<document_mistake> list_;
    std::size_t count_ = 0;
    std::optional<text_lines> lines_;
};

}  // namespace weft
