#include "condition_terms.hpp"

#include "graph/expression/expression_lexer.hpp"

#include <weft/base/text/ascii_text.hpp>
#include <weft/graph/expression.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace weft::graph_detail {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> contraries{
    {{"==", "!="}, {"!=", "=="}, {"<", ">="}, {">=", "<"}, {">", "<="}, {"<=", ">"}}};

/** A text without the blanks and whole pairs of brackets around it. */
std::string_view bare(std::string_view text)
{
    for (;;) {
        const std::size_t begin = text.find_first_not_of(ascii_blanks);
        if (begin == text.npos) return {};
        text = text.substr(begin, text.find_last_not_of(ascii_blanks) + 1 - begin);
        // `(a) or (b)` begins and ends with brackets too.
        if (text.size() < 2 || text.front() != '(' || text.find_first_of("()", 1) != text.size() - 1) return text;
        text = text.substr(1, text.size() - 2);
    }
}

/** Signs and words that make a condition of several, or a value of something larger than a comparison. */
constexpr std::array<std::string_view, 13> joining{"and", "or", "if",     "else", "in", "is", "not",
                                                   "(",   "[",  "{",      "<<",   ">>", "lambda"};

struct comparison_place {
    std::size_t begin = std::string_view::npos;
    std::size_t size = 0;
    bool is_only_one = true;
};

/** The comparison of a text; one beside another, or in something larger, is not alone. */
comparison_place find_comparison(std::string_view text)
{
    comparison_place found;
    expression_arena arena{expression_limits{}.memory_bytes_max};
    expression_detail::lexer tokens{text, arena};
    for (expression_detail::token t = tokens.next(); t.kind != expression_detail::token_kind::end; t = tokens.next()) {
        if (t.kind == expression_detail::token_kind::literal) continue;
        const auto is_this = [&](const auto& pair) { return pair.first == t.text; };
        if (std::any_of(contraries.begin(), contraries.end(), is_this)) {
            found = {t.offset, t.text.size(), found.is_only_one && found.size == 0};
        } else if (std::find(joining.begin(), joining.end(), t.text) != joining.end()) {
            found.is_only_one = false;
        }
    }
    found.is_only_one = found.is_only_one && !tokens.has_seen_comment();
    return found;
}

bool is_contrary(const condition_term& a, const condition_term& b)
{
    if (a.left != b.left || a.right != b.right) return false;
    if (a.comparison.empty()) return b.comparison.empty() && a.is_negated != b.is_negated;
    return std::any_of(contraries.begin(), contraries.end(), [&](const auto& pair) {
        return a.comparison == pair.first && b.comparison == pair.second;
    });
}

}  // namespace

condition_term term_of(std::string_view text)
{
    text = bare(text);
    const comparison_place place = find_comparison(text);
    if (place.size != 0 && place.is_only_one)
        return {std::string{bare(text.substr(0, place.begin))}, std::string{text.substr(place.begin, place.size)},
                std::string{bare(text.substr(place.begin + place.size))}, false};
    if (text.starts_with("not ") || text.starts_with("not("))
        if (const std::string_view rest = bare(text.substr(3)); find_comparison(rest).is_only_one) {
            condition_term term = term_of(rest);
            if (term.comparison.empty()) {
                term.is_negated = !term.is_negated;
            } else {
                const auto known = std::find_if(contraries.begin(), contraries.end(),
                                                [&](const auto& pair) { return pair.first == term.comparison; });
                term.comparison = known->second;
            }
            return term;
        }
    return {std::string{text}, {}, {}, false};
}

std::string_view literal_text(std::string_view term) noexcept
{
    if (term.size() < 2 || (term.front() != '\'' && term.front() != '"')) return {};
    if (term.back() != term.front() || term.find('\\') != term.npos) return {};
    const std::string_view inside = term.substr(1, term.size() - 2);
    return inside.find(term.front()) == inside.npos ? inside : std::string_view{};
}

bool leave_nothing_out(const std::vector<condition_term>& terms)
{
    for (const condition_term& a : terms) {
        if (a.comparison.empty() && !a.is_negated && (a.left == "True" || a.left == "1")) return true;
        for (const condition_term& b : terms)
            if (is_contrary(a, b)) return true;
    }
    return false;
}

bool cover(const std::vector<condition_term>& terms, std::string_view key, const std::vector<std::string>& values)
{
    const auto lets_hold = [&](const condition_term& term, const std::string& value) {
        if (term.left != key && term.right != key) return false;
        const std::string_view literal = literal_text(term.left == key ? term.right : term.left);
        if (literal.empty()) return false;
        return term.comparison == "==" ? literal == value : term.comparison == "!=" && literal != value;
    };
    return !values.empty() && std::all_of(values.begin(), values.end(), [&](const std::string& value) {
        return std::any_of(terms.begin(), terms.end(), [&](const condition_term& term) {
            return lets_hold(term, value);
        });
    });
}

}  // namespace weft::graph_detail
