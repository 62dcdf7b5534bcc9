#pragma once

#include "expression_lexer.hpp"

#include <string>
#include <string_view>

namespace weft::expression_detail {

/** The tokens of an expression, one of them at hand, and the answers to those that cannot stand where they do: words
 *  and signs of Python and of other languages get one that says what to write instead.
 *
 *  @par Errors      `invalid_expression`, with the place of the token.
 *  @par Lifetimes   As `lexer`.
 */
class token_stream {
public:
    token_stream(std::string_view text, expression_arena& arena) : lexer_{text, arena} { advance(); }

    [[nodiscard]] const token& now() const noexcept { return now_; }
    [[nodiscard]] bool is(std::string_view word) const noexcept { return now_.is(word); }
    [[nodiscard]] bool is_end() const noexcept { return now_.kind == token_kind::end; }
    [[nodiscard]] bool is_text() const noexcept
    {
        return now_.kind == token_kind::literal && now_.value.is(expression_kind::text);
    }
    [[nodiscard]] std::size_t offset() const noexcept { return now_.offset; }
    /** Whether a comment stands before the token at hand. */
    [[nodiscard]] bool has_seen_comment() const noexcept { return lexer_.has_seen_comment(); }
    /** Whether the name at hand is a word of Python, so that it names no key. */
    [[nodiscard]] bool is_reserved() const;

    void advance() { now_ = lexer_.next(); }
    /** Goes on behind a word or sign, if it is at hand. */
    [[nodiscard]] bool accept(std::string_view word);
    /** Goes on behind a sign that must be here. */
    void expect(std::string_view symbol, std::string_view after);

    [[noreturn]] void refuse(const std::string& what) const { lexer_.refuse(now_.offset, what); }
    [[noreturn]] void refuse_at(std::size_t offset, const std::string& what) const { lexer_.refuse(offset, what); }
    /** Says why the token at hand cannot stand where it does. */
    [[noreturn]] void refuse_token() const;
    /** The same, if it is what makes a comprehension or an assignment of what stands before it. */
    void refuse_comprehension() const;

private:
    lexer lexer_;
    token now_;
};

}  // namespace weft::expression_detail
