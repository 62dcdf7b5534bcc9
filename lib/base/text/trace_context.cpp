#include <weft/base/text/trace_context.hpp>

#include <algorithm>
#include <cstdint>

namespace weft {

namespace {

constexpr std::size_t trace_at = 3;
constexpr std::size_t trace_digits = 32;
constexpr std::size_t span_at = trace_at + trace_digits + 1;
constexpr std::size_t span_digits = 16;
constexpr std::size_t flags_at = span_at + span_digits + 1;
constexpr std::size_t parent_bytes = flags_at + 2;
constexpr std::size_t state_bytes_max = 512;
constexpr std::ptrdiff_t state_members_max = 32;

bool is_digit_of_trace(char c) noexcept { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

bool are_digits(std::string_view text) noexcept { return std::all_of(text.begin(), text.end(), is_digit_of_trace); }

/** Digits that name something: not all of them zero. */
bool is_name(std::string_view text) noexcept
{
    return are_digits(text) && std::any_of(text.begin(), text.end(), [](char c) { return c != '0'; });
}

bool is_parent(std::string_view text) noexcept
{
    if (text.size() < parent_bytes || text[2] != '-' || text[span_at - 1] != '-' || text[flags_at - 1] != '-')
        return false;
    const std::string_view version = text.substr(0, 2);
    if (!are_digits(version) || version == "ff") return false;
    // A later version may have more behind another dash.
    if (text.size() > parent_bytes && (version == "00" || text[parent_bytes] != '-')) return false;
    return is_name(text.substr(trace_at, trace_digits)) && is_name(text.substr(span_at, span_digits)) &&
           are_digits(text.substr(flags_at, 2));
}

/** Sixteen digits of a text, never all zero: FNV-1a with 64 bits. */
std::string digits_of(std::string_view text, std::uint64_t begin = 14695981039346656037ULL)
{
    std::uint64_t hash = begin;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    if (hash == 0) hash = 1;
    std::string digits(span_digits, '0');
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, hash >>= 4)
        *digit = "0123456789abcdef"[hash & 15];
    return digits;
}

}  // namespace

std::optional<trace_context> trace_context::read(std::string_view parent, std::string_view state)
{
    if (!is_parent(parent)) return std::nullopt;
    trace_context context;
    // The rest of a later version may say things that this one does not know.
    context.parent.assign("00").append(parent.substr(2, parent_bytes - 2));
    const bool is_short =
        state.size() <= state_bytes_max && std::count(state.begin(), state.end(), ',') < state_members_max;
    const bool is_text = std::all_of(state.begin(), state.end(), [](char c) { return c >= ' ' && c <= '~'; });
    if (is_short && is_text) context.state = state;
    return context;
}

trace_context trace_context::begun_by(std::string_view key)
{
    std::string trace;  // the digits of a UUID
    for (const char c : key)
        if (is_digit_of_trace(c)) trace += c;
    if (trace.size() != trace_digits || !is_name(trace)) trace = digits_of(key) + digits_of(key, 0x6c62272e07bb0142ULL);
    trace_context context;
    context.parent = "00-" + trace + "-" + digits_of(key) + "-01";
    return context;
}

std::string trace_context::parent_of_call(std::string_view key) const
{
    std::string text = parent;
    if (!key.empty()) text.replace(span_at, span_digits, digits_of(key));
    return text;
}

trace_context trace_context::of_call(const trace_context* run, std::string_view key)
{
    if (!run) return begun_by(key);
    return {run->parent_of_call(key), run->state};
}

}  // namespace weft
