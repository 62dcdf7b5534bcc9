#pragma once

#include "document_mistakes.hpp"
#include "document_outline.hpp"

#include <weft/base/text/json_path.hpp>
#include <weft/graph/document/graph_file_format.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace weft {

/** A JSON or YAML text, read: its value, its mistakes, and where in the text the parts of the value are.
 *
 *  What is wrong with the text is a value too, never an exception. A mistake of syntax, a text that is too large and
 *  one that is no UTF-8 end the reading: there is no value then. Members that are there twice, tags and the like do
 *  not.
 *
 *  @par Lifetimes   The text outlives it.
 */
class document {
public:
    struct limits {
        std::size_t bytes_max;     ///< Of the text; one of YAML has at most `yaml_bytes_max` anyway.
        std::size_t mistakes_max;  ///< More are counted, not listed.
    };

    /** Reads a text. @param format   `json` or `yaml`. */
    document(std::string_view text, graph_file_format format, limits within);

    /** Nothing if the text could not be read to its end. */
    [[nodiscard]] std::optional<boost::json::value>& value() noexcept { return value_; }
    [[nodiscard]] const document_mistakes& mistakes() const noexcept { return mistakes_; }

    /** Where the value at a path is; of one that is not there, the nearest value around it. */
    [[nodiscard]] text_position position_of(const json_path& at);
    /** Where the name of the member at a path is, or what `position_of` says. */
    [[nodiscard]] text_position position_of_name(const json_path& at);

private:
    void read_json();
    [[nodiscard]] const document_outline& outline();

    std::string_view text_;  // without a byte order mark
    document_mistakes mistakes_;
    std::optional<boost::json::value> value_;
    std::optional<document_outline> outline_;  // of JSON made when a place is asked for: most texts have no mistake
};

/** A text without the byte order mark of UTF-8, which editors of Windows put before it. */
[[nodiscard]] std::string_view without_byte_order_mark(std::string_view text) noexcept;

}  // namespace weft
