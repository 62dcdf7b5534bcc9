#include "openai_ids.hpp"

#include <weft/net/text/digest.hpp>

#include <charconv>
#include <chrono>

namespace weft::serve_detail {

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";
constexpr std::string_view response_prefix = "resp_";
constexpr std::string_view conversation_prefix = "conv_";

/** Ids of clients have no hyphens: some take them for the end of a word. */
std::string without_hyphens(std::string_view text)
{
    std::string result;
    for (const char c : text)
        if (c != '-') result.push_back(c);
    return result;
}

std::optional<run_id> run_in(std::string_view digits)
{
    // The hyphens of a UUID stand where they always do.
    if (digits.size() != 32) return std::nullopt;
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i == 8 || i == 12 || i == 16 || i == 20) text.push_back('-');
        text.push_back(digits[i]);
    }
    return run_id::parse(text);
}

}  // namespace

std::string response_id::text() const
{
    std::string result{response_prefix};
    result.append(without_hyphens(run.text()));
    if (after > 0) result.append("_").append(std::to_string(after));
    return result;
}

std::optional<response_id> response_id::parse(std::string_view text)
{
    if (!text.starts_with(response_prefix)) return std::nullopt;
    text.remove_prefix(response_prefix.size());
    response_id result;
    const std::size_t mark = text.find('_');
    if (mark != text.npos) {
        const std::string_view number = text.substr(mark + 1);
        const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), result.after);
        if (code != std::errc{} || end != number.data() + number.size() || result.after == 0) return std::nullopt;
    }
    const std::optional<run_id> run = run_in(text.substr(0, mark));
    if (!run) return std::nullopt;
    result.run = *run;
    return result;
}

std::string completion_id_of(run_id run) { return "chatcmpl-" + without_hyphens(run.text()); }

std::string conversation_id_of(std::string_view thread) { return std::string{conversation_prefix}.append(thread); }

std::string thread_of_conversation(std::string_view conversation)
{
    if (conversation.starts_with(conversation_prefix)) conversation.remove_prefix(conversation_prefix.size());
    return std::string{conversation};
}

std::string question_call_id(run_id run, std::string_view address)
{
    // With the run in it: the same question of the next run is another call.
    const std::string digest = net_detail::sha256(run.text().append("/").append(address));
    std::string result{"call_"};
    for (std::size_t i = 0; i < 12; ++i) {
        const auto byte = static_cast<unsigned char>(digest[i]);
        result.push_back(hex_digits[byte >> 4]);
        result.push_back(hex_digits[byte & 15]);
    }
    return result;
}

std::int64_t unix_seconds(wall_time at) noexcept
{
    return std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count();
}

}  // namespace weft::serve_detail
