#include <weft/testing/model/word_embedding_model.hpp>

#include <weft/base/error.hpp>

#include <boost/assert.hpp>

#include <cmath>
#include <cstdint>

namespace weft::testing {

namespace {

bool is_letter(char c) noexcept
{
    const auto byte = static_cast<unsigned char>(c);
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || byte >= 0x80;
}

/** FNV-1a, since `std::hash` differs between libraries. */
std::uint64_t hash_of(std::string_view word) noexcept
{
    std::uint64_t hash = 14695981039346656037U;
    for (const char c : word) {
        const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        hash = (hash ^ static_cast<unsigned char>(lower)) * 1099511628211U;
    }
    return hash;
}

// Case and punctuation make no difference to what a text is about.
std::vector<std::string_view> letter_runs(std::string_view text)
{
    std::vector<std::string_view> words;
    std::size_t at = 0;
    while (at != text.size()) {
        std::size_t end = at;
        while (end != text.size() && is_letter(text[end])) ++end;
        if (end != at) words.push_back(text.substr(at, end - at));
        at = end == text.size() ? end : end + 1;
    }
    // A vector of zeros has no direction, so a text without a letter is a word.
    if (words.empty()) words.push_back(text);
    return words;
}

// Texts with words in common are near each other, which is all that tests of searches need to know.
std::vector<float> vector_of(const std::vector<std::string_view>& words, std::size_t dimensions)
{
    std::vector<float> vector(dimensions);
    for (const std::string_view word : words) vector[hash_of(word) % dimensions] += 1;
    float squares = 0;
    for (const float count : vector) squares += count * count;
    for (float& count : vector) count /= std::sqrt(squares);
    return vector;
}

}  // namespace

word_embedding_model::word_embedding_model(std::size_t dimensions) : dimensions_{dimensions}
{
    BOOST_ASSERT(dimensions > 0);
}

task<embeddings> word_embedding_model::do_embed(std::vector<std::string> texts)
{
    embeddings made;
    for (std::size_t i = 0; i != texts.size(); ++i) {
        if (texts[i].empty())
            throw error{errc::invalid_configuration, "texts[" + std::to_string(i) + "]",
                        "an empty text has no embedding: leave it out"};
        const std::vector<std::string_view> words = letter_runs(texts[i]);
        made.vectors.push_back(vector_of(words, dimensions_));
        made.usage.input += tokens{static_cast<std::int64_t>(words.size())};
    }
    co_return made;
}

}  // namespace weft::testing
