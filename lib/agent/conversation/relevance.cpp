#include "relevance.hpp"

#include <weft/base/text/ascii_text.hpp>
#include <weft/base/utf8.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace weft {

namespace {

constexpr std::size_t letters_min = 4;
constexpr std::size_t telling_chars_min = 10;
constexpr double of_little_text = 0.8;

/** Letters of any language: what is not ASCII counts as one. */
bool is_of_word(char c)
{
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

std::vector<std::string> telling_terms(std::string_view text)
{
    const std::string small = ascii_lower_case(text);
    std::vector<std::string> words;
    std::string word;
    for (const char c : small + " ") {
        if (is_of_word(c)) word += c;
        else if (std::string whole = std::exchange(word, {}); count_code_points(whole) >= letters_min)
            words.push_back(std::move(whole));
    }
    return words;
}

}  // namespace

void recent_words::add(std::string_view text)
{
    for (std::string& word : telling_terms(text)) words_.insert(std::move(word));
}

double recent_words::irrelevance_of(std::string_view text) const
{
    const std::vector<std::string> words = telling_terms(text);
    if (words.empty() || count_code_points(text) < telling_chars_min) return of_little_text;
    const auto common = std::count_if(words.begin(), words.end(),
                                      [this](const std::string& word) { return words_.contains(word); });
    return std::max(0.0, 1.0 - 2.0 * static_cast<double>(common) / static_cast<double>(words.size()));
}

double dispensability(double age, double irrelevance) noexcept { return 0.6 * age + 0.4 * irrelevance; }

}  // namespace weft
