#include <weft/model/chat/token_estimate.hpp>

#include <weft/base/utf8.hpp>

#include <boost/json/serialize.hpp>

#include <type_traits>
#include <variant>

namespace weft {

namespace {

// In twentieths of a token: a quarter, two fifths, one and two tokens are whole numbers of them.
constexpr std::int64_t unit = 20;
constexpr std::int64_t of_plain = 5;
constexpr std::int64_t of_dense = 8;
constexpr std::int64_t of_ideograph = 20;
constexpr std::int64_t of_other = 40;
constexpr std::size_t long_word = 24;

bool is_word_character(char32_t point) noexcept
{
    return (point >= '0' && point <= '9') || (point >= 'A' && point <= 'Z') || (point >= 'a' && point <= 'z');
}

bool is_ideograph(char32_t point) noexcept
{
    return (point >= 0x1100 && point < 0x1200) || (point >= 0x2E80 && point < 0xA4D0) ||
           (point >= 0xAC00 && point < 0xD7B0) || (point >= 0xF900 && point < 0xFB00) ||
           (point >= 0xFF00 && point < 0xFFF0) || (point >= 0x20000 && point < 0x32000);
}

std::int64_t weight_of(char32_t point) noexcept
{
    if (point <= ' ') return of_plain;
    if (point < 0x530) return of_dense;  // ASCII punctuation, Latin, Greek, Cyrillic
    if (point >= 0x1E00 && point < 0x2070) return of_dense;  // more Latin and Greek, typographic punctuation
    return is_ideograph(point) ? of_ideograph : of_other;
}

std::int64_t twentieths(std::string_view text) noexcept
{
    std::int64_t sum = 0;
    std::size_t word = 0;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t bytes = 0;
        const char32_t point = first_code_point(text.substr(at), bytes);
        at += bytes;
        const bool is_word = is_word_character(point);
        word = is_word ? word + 1 : 0;
        if (is_word)
            sum += word > long_word ? of_dense : of_plain;
        else
            sum += weight_of(point);
    }
    return sum;
}

std::int64_t twentieths(const message& said, tokens picture) noexcept
{
    std::int64_t sum = 4 * unit + twentieths(said.name) + twentieths(said.tool_call_id);
    for (const content_part& part : said.content)
        std::visit(
            [&](const auto& one) {
                if constexpr (std::is_same_v<std::decay_t<decltype(one)>, image_part>)
                    sum += picture.count() * unit;
                else
                    sum += twentieths(one.text);
            },
            part);
    for (const tool_call& call : said.tool_calls) sum += 4 * unit + twentieths(call.name) + twentieths(call.arguments);
    return sum;
}

/** A schema as its JSON text: mostly punctuation. */
std::int64_t twentieths(const boost::json::value& schema)
{
    if (schema.is_null()) return 0;
    return static_cast<std::int64_t>(boost::json::serialize(schema).size()) * unit * 2 / 7;
}

tokens whole_tokens(std::int64_t sum) noexcept { return tokens{(sum + unit - 1) / unit}; }

}  // namespace

tokens estimate_tokens(std::string_view text) noexcept { return whole_tokens(twentieths(text)); }

tokens estimate_message(const message& said, tokens picture) noexcept
{
    return whole_tokens(twentieths(said, picture));
}

tokens estimate_input(const chat_request& request, tokens picture)
{
    std::int64_t sum = 3 * unit;
    for (const message& said : request.messages) sum += twentieths(said, picture);
    for (const tool_spec& tool : request.tools)
        sum += 10 * unit + twentieths(tool.name) + twentieths(tool.description) + twentieths(tool.parameters);
    if (request.output) sum += twentieths(request.output->description) + twentieths(request.output->schema);
    return whole_tokens(sum);
}

}  // namespace weft
