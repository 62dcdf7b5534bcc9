#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace weft::schema_detail {

/** A regular expression of ECMAScript over code points, as `pattern` has them: it may match anywhere in a text, `^` and
 *  `$` are the text's ends, `.` is no line end. Copies share it; safe to use from several threads. */
class schema_pattern {
public:
    /** @par Errors   `std::invalid_argument` with a sentence. */
    explicit schema_pattern(std::string_view text);

    enum class answer { no, yes, gave_up };
    /** @param steps   Of the characters that the search may look at; what it used is taken away. */
    [[nodiscard]] answer found_in(std::string_view text, std::size_t& steps) const;

    [[nodiscard]] const std::string& text() const noexcept;

private:
    struct program;
    std::shared_ptr<const program> program_;
};

}  // namespace weft::schema_detail
