#include <weft/base/text/untrusted_text.hpp>

#include <weft/base/utf8.hpp>

#include <algorithm>
#include <iterator>

namespace weft {

namespace {

bool is_hidden(char32_t c) noexcept
{
    const bool is_control = (c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7F && c < 0xA0);
    const bool is_zero_width = (c >= 0x200B && c <= 0x200F) || (c >= 0x2060 && c <= 0x2064) || c == 0xFEFF || c == 0xAD;
    const bool is_direction = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    const bool is_tag = c >= 0xE0000 && c <= 0xE007F;
    return is_control || is_zero_width || is_direction || is_tag;
}

bool is_plain(char c) noexcept { return (c >= 0x20 && c < 0x7F) || c == '\t' || c == '\n'; }

constexpr std::string_view wide_bar = "\xef\xbd\x9c";  // U+FF5C, as DeepSeek has it
constexpr std::size_t mark_bytes_max = 80;

// Between angle brackets, where a slash may stand before them.
constexpr std::string_view angle_names[] = {
    "s",             "bos",         "eos",       "pad",           "unk",           "think",     "thinking",
    "start_of_turn", "end_of_turn", "tool_call", "tool_response", "function_call", "tool_calls"};
// Between square brackets.
constexpr std::string_view square_names[] = {"inst",         "available_tools", "tool_calls", "tool_results",
                                             "system_prompt"};

char lower_case_of(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/** Whether a text begins with a word in any case and then `end`. */
bool begins_with_word(std::string_view text, std::string_view word, char end) noexcept
{
    return text.size() > word.size() && text[word.size()] == end &&
           std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) { return a == lower_case_of(b); });
}

template <std::size_t Count>
bool begins_with_one_of(const std::string_view (&words)[Count], std::string_view text, char end) noexcept
{
    return std::any_of(std::begin(words), std::end(words),
                       [&](std::string_view word) { return begins_with_word(text, word, end); });
}

/** `<|im_start|>`, with bars of either width. @param text   What stands behind the bracket. */
bool is_between_bars(std::string_view text, std::string_view bar) noexcept
{
    if (!text.starts_with(bar)) return false;
    text.remove_prefix(bar.size());
    text = text.substr(0, mark_bytes_max);
    const std::size_t end = text.find(bar);
    return end != std::string_view::npos && text.substr(end + bar.size()).starts_with('>') &&
           text.substr(0, end).find_first_of("<\n") == std::string_view::npos;
}

/** Whether a mark of a chat template begins here. */
bool is_mark(std::string_view text) noexcept
{
    const char first = text.front();
    text.remove_prefix(1);
    if (first == '[') {
        if (text.starts_with('/')) text.remove_prefix(1);
        return begins_with_one_of(square_names, text, ']');
    }
    if (is_between_bars(text, "|") || is_between_bars(text, wide_bar)) return true;
    if (text.starts_with("<SYS>>") || text.starts_with("</SYS>>")) return true;
    if (text.starts_with('/')) text.remove_prefix(1);
    return begins_with_one_of(angle_names, text, '>');
}

}  // namespace

std::string visible_text(std::string_view from)
{
    if (std::all_of(from.begin(), from.end(), is_plain)) return std::string{from};
    const std::string valid = repaired_utf8(from);
    std::string kept;
    kept.reserve(valid.size());
    std::size_t size = 0;
    for (std::string_view rest = valid; !rest.empty(); rest.remove_prefix(size))
        if (!is_hidden(first_code_point(rest, size))) kept.append(rest.substr(0, size));
    return kept;
}

bool is_surely_neutral(std::string_view text) noexcept
{
    return std::all_of(text.begin(), text.end(), [](char c) { return is_plain(c) && c != '<' && c != '['; });
}

std::string neutral_text(std::string_view from)
{
    if (is_surely_neutral(from)) return std::string{from};
    std::string visible = visible_text(from);
    std::size_t at = visible.find_first_of("<[");
    if (at == std::string::npos) return visible;
    const std::string_view all{visible};
    std::string neutral;
    neutral.reserve(visible.size() + 16);
    std::size_t done = 0;
    for (; at != std::string_view::npos; at = all.find_first_of("<[", at + 1)) {
        if (!is_mark(all.substr(at))) continue;
        neutral.append(all.substr(done, at + 1 - done)) += ' ';
        done = at + 1;
    }
    if (done == 0) return visible;
    return neutral.append(all.substr(done));
}

}  // namespace weft
