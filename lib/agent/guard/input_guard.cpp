#include <weft/agent/guard/input_guard.hpp>

#include "agent/text/words_in_text.hpp"

#include <weft/base/text/untrusted_text.hpp>
#include <weft/base/utf8.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace weft {

using agent_detail::words_in;

namespace {

constexpr std::string_view cut_mark = "\n[truncated]";

bool is_separator(char32_t c) noexcept { return c == 0x2028 || c == 0x2029 || c == 0x202F; }

/** Writes characters, and of blanks and line ends what is left of them when something follows. */
class squeezed_text {
public:
    void append(std::string_view character)
    {
        if (character == " " || character == "\t") {
            is_blank_due_ = true;
        } else if (character == "\n") {
            ++lines_due_;
            is_blank_due_ = false;
        } else {
            if (!text_.empty()) text_.append(std::min<std::size_t>(lines_due_, 2), '\n');
            if (is_blank_due_ && !text_.empty()) text_ += ' ';
            is_blank_due_ = false;
            lines_due_ = 0;
            text_ += character;
        }
    }
    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    std::string text_;
    std::size_t lines_due_ = 0;
    bool is_blank_due_ = false;
};

/** Cuts a text behind so many code points. @return Whether there was more. */
bool cut(std::string& text, std::size_t chars_max)
{
    std::size_t at = 0;
    for (std::size_t chars = 0; at < text.size() && chars < chars_max; ++chars)
        at += code_point_bytes(std::string_view{text}.substr(at));
    if (at == text.size()) return false;
    text.resize(at);
    text += cut_mark;
    return true;
}

std::string squeezed(std::string_view text)
{
    const std::string visible = visible_text(text);
    squeezed_text result;
    for (std::string_view rest = visible; !rest.empty();) {
        std::size_t bytes = 0;
        if (!is_separator(first_code_point(rest, bytes))) result.append(rest.substr(0, bytes));
        rest.remove_prefix(bytes);
    }
    return result.take();
}

/** A word of a pattern: any of several, and perhaps none. */
struct pattern_word {
    std::vector<std::string_view> any_of;
    bool is_optional = false;
};

/** Whether a pattern matches the words from `at` on. */
bool matches(const std::vector<std::string>& words, std::size_t at, const std::vector<pattern_word>& pattern)
{
    for (const pattern_word& wanted : pattern) {
        const bool is_there = at < words.size() && std::find(wanted.any_of.begin(), wanted.any_of.end(), words[at]) !=
                                                       wanted.any_of.end();
        if (is_there) ++at;
        else if (!wanted.is_optional) return false;
    }
    return true;
}

bool contains(const std::vector<std::string>& words, const std::vector<pattern_word>& pattern)
{
    for (std::size_t at = 0; at < words.size(); ++at)
        if (matches(words, at, pattern)) return true;
    return false;
}

bool contains_in_order(const std::vector<std::string>& words, std::string_view first, std::string_view second)
{
    const auto found = std::find(words.begin(), words.end(), first);
    return found != words.end() && std::find(found, words.end(), second) != words.end();
}

/** The word "system" with a colon behind it. */
bool speaks_as_system(std::string_view lower)
{
    constexpr std::string_view word = "system";
    for (std::size_t at = lower.find(word); at != std::string_view::npos; at = lower.find(word, at + 1)) {
        if (at > 0 && agent_detail::is_word_character(lower[at - 1])) continue;
        const std::size_t next = lower.find_first_not_of(" \t", at + word.size());
        if (next != std::string_view::npos && lower[next] == ':') return true;
    }
    return false;
}

bool shouts(std::string_view text)
{
    const auto is_between = [text](char first, char last) {
        return std::any_of(text.begin(), text.end(), [=](char c) { return first <= c && c <= last; });
    };
    return is_between('A', 'Z') && !is_between('a', 'z');
}

bool repeats_a_character(std::string_view text, std::size_t repeats_min)
{
    std::string_view last;
    std::size_t count = 0;
    while (!text.empty()) {
        const std::string_view character = text.substr(0, code_point_bytes(text));
        count = character == last ? count + 1 : 1;
        if (count >= repeats_min && character != "\n") return true;
        last = character;
        text.remove_prefix(character.size());
    }
    return false;
}

bool repeats_a_word(std::string_view text, const input_guard_limits& limits)
{
    std::map<std::string, std::size_t> counts;
    std::size_t all = 0;
    std::size_t most = 0;
    for (std::string& word : agent_detail::split_at_blanks(ascii_lower_case(text))) {
        most = std::max(most, ++counts[std::move(word)]);
        ++all;
    }
    return all >= limits.words_min && static_cast<double>(most) > limits.word_share_max * static_cast<double>(all);
}

}  // namespace

std::string sanitised_input(std::string_view text, std::size_t chars_max)
{
    std::string result = squeezed(text);
    cut(result, chars_max);
    return result;
}

std::vector<injection_sign> injection_signs_in(std::string_view text)
{
    const std::string lower = ascii_lower_case(text);
    const std::vector<std::string> words = words_in(lower);
    std::vector<injection_sign> signs;
    const auto note = [&](injection_sign sign, bool is_there) {
        if (is_there) signs.push_back(sign);
    };
    note(injection_sign::ignore_instructions,
         contains(words, {{{"ignore"}}, {{"all"}, true}, {{"previous"}}, {{"instructions"}}}));
    note(injection_sign::disregard_instructions,
         contains(words, {{{"disregard"}}, {{"all"}, true}, {{"your"}, true}, {{"instructions"}}}));
    note(injection_sign::other_role, contains(words, {{{"you"}},
                                                      {{"are"}},
                                                      {{"now"}},
                                                      {{"a"}, true},
                                                      {{"new", "different"}},
                                                      {{"ai", "assistant", "bot"}}}));
    note(injection_sign::system_speaker, speaks_as_system(lower));
    note(injection_sign::instruction_mark, lower.find("[inst]") != std::string::npos);
    note(injection_sign::turn_mark, lower.find("<|im_start|>") != std::string::npos);
    note(injection_sign::jailbreak, contains_in_order(words, "dan", "jailbreak"));
    return signs;
}

spam_sign spam_sign_in(std::string_view text, const input_guard_limits& limits)
{
    if (text.empty()) return spam_sign::empty;
    if (count_code_points(text) >= limits.capitals_min && shouts(text)) return spam_sign::shouting;
    if (repeats_a_character(text, limits.repeats_min)) return spam_sign::repeated_character;
    if (repeats_a_word(text, limits)) return spam_sign::repeated_word;
    return spam_sign::none;
}

rate_sign message_times::take(std::chrono::milliseconds now, const input_guard_limits& limits)
{
    const std::int64_t at = now.count();
    const auto recent = std::count_if(last.begin(), last.end(),
                                      [&](std::int64_t before) { return at - before < limits.burst_window.count(); });
    rate_sign sign = rate_sign::none;
    if (!last.empty() && at - last.back() < limits.gap_min.count()) sign = rate_sign::too_soon;
    else if (static_cast<std::size_t>(recent) >= limits.burst_max) sign = rate_sign::burst;
    // A message that came too soon counts too: otherwise a flood would look calm again after its first message.
    last.push_back(at);
    if (last.size() > remembered_max) last.erase(last.begin(), last.end() - remembered_max);
    return sign;
}

inspected_input inspect_input(std::string_view text, message_times& times, std::chrono::milliseconds now,
                              const input_guard_limits& limits)
{
    inspected_input result;
    result.text = squeezed(text);
    result.found.was_cut = cut(result.text, limits.chars_max);
    result.found.was_changed = result.text != text;
    result.found.rate = times.take(now, limits);
    result.found.spam = spam_sign_in(result.text, limits);
    result.found.injections = injection_signs_in(result.text);
    return result;
}

}  // namespace weft
