#include <weft/agent/chat_agent/speech_buffer.hpp>

#include "agent/text/words_in_text.hpp"

#include <weft/base/utf8.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace weft {

namespace {

using std::chrono::milliseconds;

constexpr std::array<std::string_view, 17> beginnings = {
    "can you", "could you", "please", "i need", "i want", "help me",  "what",  "how",     "when",
    "where",   "why",       "create", "build",  "make",   "generate", "write", "design",
};
constexpr std::array<std::string_view, 5> endings = {"thank you", "thanks", "that's all", "goodbye", "bye"};
constexpr std::array<std::string_view, 5> sentence_ends = {".", "!", "?", "\xe3\x80\x82", "\xef\xbc\x9f"};

bool is_boundary(std::string_view text, std::size_t at)
{
    return at >= text.size() || !agent_detail::is_word_character(text[at]);
}

bool is_request_or_farewell(std::string_view text)
{
    const std::string lower = ascii_lower_case(text);
    const bool begins = std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view words) {
        return lower.starts_with(words) && is_boundary(lower, words.size());
    });
    return begins || std::any_of(endings.begin(), endings.end(), [&](std::string_view words) {
               return lower.ends_with(words) &&
                      (lower.size() == words.size() || is_boundary(lower, lower.size() - words.size() - 1));
           });
}

bool is_sentence(std::string_view text)
{
    return std::any_of(sentence_ends.begin(), sentence_ends.end(),
                       [text](std::string_view mark) { return text.ends_with(mark); });
}

bool is_long_enough(const speech_buffer& buffer, const speech_limits& limits)
{
    return count_code_points(buffer.content) >= limits.chars_min;
}

speech_decision release(speech_buffer& buffer, speech_reason why)
{
    buffer.is_judged = false;
    return {why, std::exchange(buffer.content, {})};
}

}  // namespace

speech_reason complete_thought_in(std::string_view text)
{
    text = trimmed(text);
    if (is_sentence(text)) return speech_reason::sentence_end;
    return is_request_or_farewell(text) ? speech_reason::complete_thought : speech_reason::waiting;
}

speech_decision speech_buffer::add(std::string_view piece, moment now, const speech_limits& limits, bool is_last)
{
    piece = trimmed(piece);
    if (!piece.empty()) {
        if (content.empty()) first = now.count();
        else content += ' ';
        content += piece;
        last = now.count();
        is_judged = false;
    }
    if (content.empty()) return {};
    if (is_last) return release(*this, speech_reason::marked_complete);
    if (content.size() >= limits.bytes_max) return release(*this, speech_reason::too_long);
    if (age(now) >= limits.age_max) return release(*this, speech_reason::too_old);
    return {speech_reason::waiting, content};
}

speech_decision speech_buffer::look(moment now, const speech_limits& limits)
{
    if (content.empty()) return {};
    const milliseconds quiet = now - milliseconds{last};
    if (age(now) >= limits.age_max) return release(*this, speech_reason::too_old);
    if (quiet >= limits.silence) return release(*this, speech_reason::silence);
    const bool asks = !is_judged && quiet >= limits.pause && is_long_enough(*this, limits);
    is_judged = is_judged || asks;
    return {asks ? speech_reason::pause : speech_reason::waiting, content};
}

speech_decision speech_buffer::judge(std::string_view text, speech_reason verdict)
{
    const bool is_complete =
        verdict == speech_reason::sentence_end || verdict == speech_reason::complete_thought;
    if (is_complete && is_judged && !content.empty() && content == text) return release(*this, verdict);
    return {speech_reason::waiting, content};
}

std::optional<speech_buffer::moment> speech_buffer::next_look(const speech_limits& limits) const
{
    if (content.empty()) return std::nullopt;
    const bool asks = !is_judged && is_long_enough(*this, limits);
    const milliseconds quiet = asks ? std::min(limits.pause, limits.silence) : limits.silence;
    return std::min(milliseconds{last} + quiet, milliseconds{first} + limits.age_max);
}

speech_decision speech_buffer::flush()
{
    if (content.empty()) return {};
    return release(*this, speech_reason::forced);
}

milliseconds speech_buffer::age(moment now) const noexcept
{
    return content.empty() ? milliseconds{0} : now - milliseconds{first};
}

}  // namespace weft
