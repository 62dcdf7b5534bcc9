#include <weft/base/text/trace_context.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

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

/** Sixteen digits in the place of others. */
void write_digits(std::string& to, std::size_t at, std::uint64_t number) noexcept
{
    for (std::size_t i = span_digits; i-- > 0; number >>= 4) to[at + i] = "0123456789abcdef"[number & 15];
}

/** Of a text, never zero: FNV-1a with 64 bits. */
std::uint64_t hash_of(std::string_view text, std::uint64_t begin = 14695981039346656037ULL) noexcept
{
    std::uint64_t hash = begin;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    return hash == 0 ? 1 : hash;
}

std::uint64_t number_of_digits(std::string_view digits) noexcept
{
    std::uint64_t number = 0;
    for (const char c : digits) number = number << 4 | static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    return number;
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
    trace_context context;
    context.parent = "00-00000000000000000000000000000000-0000000000000000-01";
    const std::uint64_t own = hash_of(key);
    write_digits(context.parent, span_at, own);
    std::size_t digits = 0;  // of a UUID
    for (const char c : key)
        if (is_digit_of_trace(c) && digits++ < trace_digits) context.parent[trace_at + digits - 1] = c;
    if (digits == trace_digits && is_name(std::string_view{context.parent}.substr(trace_at, trace_digits)))
        return context;
    write_digits(context.parent, trace_at, own);
    write_digits(context.parent, trace_at + span_digits, hash_of(key, 0x6c62272e07bb0142ULL));
    return context;
}

std::string trace_context::parent_of_call(std::string_view key) const
{
    std::string text = parent;
    if (!key.empty() && !text.empty()) write_digits(text, span_at, hash_of(key));
    return text;
}

trace_context trace_context::of_call(const trace_context* run, std::string_view key)
{
    if (!run || run->parent.empty()) return begun_by(key);
    trace_context context;
    context.parent = run->parent_of_call(key);
    context.state = run->state;
    return context;
}

std::shared_ptr<const trace_context> trace_context::of_run_or_call(std::shared_ptr<const trace_context> run,
                                                                  std::string_view key)
{
    if (run && !run->parent.empty()) return run;
    trace_context begun = begun_by(key);
    if (run) begun.recorder = run->recorder;
    return std::make_shared<const trace_context>(std::move(begun));
}

trace_context trace_context::of_run(const trace_context* caller, std::string_view run, std::uint32_t part)
{
    const bool has_caller = caller && !caller->parent.empty();
    trace_context own = has_caller ? *caller : begun_by(run);
    write_digits(own.parent, span_at, span_within(own.place().span, run, part));
    return own;
}

trace_context trace_context::within(std::uint64_t span) const
{
    trace_context inner = *this;
    if (!inner.parent.empty()) write_digits(inner.parent, span_at, span);
    return inner;
}

span_place trace_context::place() const noexcept
{
    if (parent.empty()) return {};
    const std::string_view text = parent;
    return {number_of_digits(text.substr(trace_at, span_digits)),
            number_of_digits(text.substr(trace_at + span_digits, span_digits)),
            number_of_digits(text.substr(span_at, span_digits))};
}

bool trace_context::is_sampled() const noexcept
{
    return !parent.empty() && (number_of_digits(std::string_view{parent}.substr(flags_at)) & 1) != 0;
}

void trace_context::set_sampled(bool is) noexcept
{
    if (!parent.empty()) parent.replace(flags_at, 2, is ? "01" : "00");
}

}  // namespace weft
