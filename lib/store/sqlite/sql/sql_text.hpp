#pragma once

namespace weft::sqlite_detail {

/** The text of a statement: a literal of the program, so that no text from outside can become a part of it. */
class sql_text {
public:
    // Run-time text is no constant expression, so that it does not compile here.
    consteval sql_text(const char* text) noexcept : text_{text} {}

    [[nodiscard]] constexpr const char* c_str() const noexcept { return text_; }

private:
    const char* text_;
};

}  // namespace weft::sqlite_detail
