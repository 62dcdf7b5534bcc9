#pragma once

#include <weft/graph/expression/expression_arena.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::expression_detail {

enum class token_kind : std::uint8_t { end, name, literal, symbol };

struct token {
    token_kind kind = token_kind::end;
    std::size_t offset = 0;
    std::string_view text = {};      ///< As written; of a name or symbol.
    expression_value value = {};     ///< Of a literal.

    [[nodiscard]] bool is(std::string_view word) const noexcept
    {
        return (kind == token_kind::symbol || kind == token_kind::name) && text == word;
    }
};

/** Cuts a text into tokens. White space, line breaks and comments are skipped.
 *
 *  @par Errors      `invalid_expression`.
 *  @par Lifetimes   Views the text; what literals view is in the arena.
 */
class lexer {
public:
    lexer(std::string_view text, expression_arena& arena) noexcept : text_{text}, arena_{arena} {}

    [[nodiscard]] token next();
    /** Whether a comment stands before the last token. */
    [[nodiscard]] bool has_seen_comment() const noexcept { return has_seen_comment_; }
    [[noreturn]] void refuse(std::size_t offset, const std::string& what) const;

private:
    void skip_blanks();
    [[nodiscard]] token read_name();
    void refuse_misleading(std::string_view name, std::size_t begin) const;
    [[nodiscard]] token read_number();
    [[nodiscard]] expression_value read_integer(std::string_view written, std::size_t begin);
    [[nodiscard]] token read_symbol();
    [[nodiscard]] token read_string(std::size_t begin, std::string_view prefix);
    void read_escape(std::string& to);
    [[nodiscard]] char32_t read_digits(std::size_t count, std::size_t begin);
    [[nodiscard]] char peek(std::size_t ahead = 0) const noexcept
    {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }

    std::string_view text_;
    expression_arena& arena_;
    std::size_t at_ = 0;
    bool has_seen_comment_ = false;
};

}  // namespace weft::expression_detail
