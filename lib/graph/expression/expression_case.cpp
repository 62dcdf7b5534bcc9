#include "expression_case_table.hpp"
#include "expression_text.hpp"

#include <algorithm>
#include <iterator>
#include <span>

namespace weft::expression_detail {

namespace {

constexpr char32_t capital_sigma = 0x3a3;
constexpr char32_t final_sigma = 0x3c2;
constexpr char32_t dotted_capital_i = 0x130;

char32_t mapped(char32_t code, std::span<const case_run> runs)
{
    const auto run = std::lower_bound(runs.begin(), runs.end(), code,
                                      [](const case_run& r, char32_t c) { return r.last < c; });
    if (run == runs.end() || code < run->first || (code - run->first) % static_cast<unsigned>(run->stride) != 0)
        return code;
    return static_cast<char32_t>(static_cast<std::int32_t>(code) + run->delta);
}

char32_t lower_of(char32_t code)
{
    if (code < 0x80) return code >= 'A' && code <= 'Z' ? code + 32 : code;
    return mapped(code, lower_runs);
}

char32_t upper_of(char32_t code)
{
    if (code < 0x80) return code >= 'a' && code <= 'z' ? code - 32 : code;
    return mapped(code, upper_runs);
}

const case_expansion* expansion_of(char32_t code)
{
    const auto found = std::lower_bound(std::begin(upper_expansions), std::end(upper_expansions), code,
                                        [](const case_expansion& e, char32_t c) { return e.code < c; });
    return found == std::end(upper_expansions) || found->code != code ? nullptr : found;
}

bool is_cased(char32_t code)
{
    return lower_of(code) != code || upper_of(code) != code || expansion_of(code) != nullptr;
}

/** Calls `f` with every code point, the bytes before it and those behind it; stray bytes stay as they are. */
template <class F>
std::string transformed(std::string_view text, F f)
{
    std::string result;
    result.reserve(text.size());
    for (std::size_t at = 0, bytes = 0; at < text.size(); at += bytes) {
        const char32_t code = first_code_point(text.substr(at), bytes);
        if (bytes == 1 && code >= 0x80)
            result += text[at];
        else
            f(result, code, text.substr(at + bytes));
    }
    return result;
}

}  // namespace

std::string lower_case(std::string_view text)
{
    bool follows_letter = false;
    return transformed(text, [&](std::string& result, char32_t code, std::string_view rest) {
        std::size_t bytes = 0;
        const bool ends_word = follows_letter && (rest.empty() || !is_cased(first_code_point(rest, bytes)));
        follows_letter = is_cased(code);
        if (code == dotted_capital_i) return static_cast<void>(result += "i\xcc\x87");
        append_code_point(result, code == capital_sigma && ends_word ? final_sigma : lower_of(code));
    });
}

std::string upper_case(std::string_view text)
{
    return transformed(text, [](std::string& result, char32_t code, std::string_view) {
        const case_expansion* const found = expansion_of(code);
        if (!found) return append_code_point(result, upper_of(code));
        for (const char32_t part : found->becomes)
            if (part != 0) append_code_point(result, part);
    });
}

}  // namespace weft::expression_detail
