#include <weft/tool/tool_runner.hpp>

#include <weft/base/utf8.hpp>

#include <algorithm>

namespace weft {

namespace {

std::size_t code_points_in(std::string_view text)
{
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/** How many bytes the first `count` code points have. */
std::size_t bytes_of_code_points(std::string_view text, std::size_t count)
{
    std::size_t at = 0;
    for (; at < text.size(); ++at)
        if ((static_cast<unsigned char>(text[at]) & 0xC0) != 0x80 && count-- == 0) break;
    return at;
}

/** Of a result: text instead of values, everything mended and in one part; pictures stay. */
void make_one_text(tool_result& result, std::string text)
{
    std::vector<tool_content> parts;
    parts.emplace_back(text_part{std::move(text)});
    for (tool_content& part : result.content)
        if (std::holds_alternative<image_part>(part)) parts.push_back(std::move(part));
    result.content = std::move(parts);
}

/** Without the pictures, which have no characters. */
std::string characters_of(const tool_result& result)
{
    tool_result words;
    for (const tool_content& part : result.content)
        if (!std::holds_alternative<image_part>(part)) words.content.push_back(part);
    return words.readable();
}

/** Whether a result is one text that stays as it is. Most are, and then nothing is copied. */
bool is_short_text(const tool_result& result, std::size_t chars_max)
{
    if (result.content.size() != 1) return false;
    const text_part* const only = std::get_if<text_part>(&result.content.front());
    // Bytes are never fewer than code points.
    return only && only->text.size() <= chars_max && is_valid_utf8(only->text);
}

}  // namespace

void shorten_result(tool_result& result, std::size_t chars_max, spill_store* store)
{
    if (is_short_text(result, chars_max)) return;
    std::string text = characters_of(result);
    const bool is_broken = !is_valid_utf8(text);
    if (is_broken) text = repaired_utf8(text);
    // Bytes are never fewer than code points: most results need no count.
    const std::size_t count = text.size() <= chars_max ? 0 : code_points_in(text);
    if (count <= chars_max) {
        if (is_broken) make_one_text(result, std::move(text));
        return;
    }
    std::string reference;
    try {
        if (store) reference = store->put(text);
    } catch (const std::exception&) {
        reference.clear();  // the beginning is worth more than nothing
    }
    text.resize(bytes_of_code_points(text, chars_max));
    text.append("\n[truncated — ").append(std::to_string(count)).append(" chars total");
    if (!reference.empty()) text.append("; the whole is kept as ").append(reference);
    text += ']';
    make_one_text(result, std::move(text));
}

}  // namespace weft
