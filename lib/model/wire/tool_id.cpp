#include "tool_id.hpp"

#include <algorithm>

namespace weft::model_detail {

namespace {

constexpr std::size_t short_id_size = 9;
constexpr std::string_view alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

bool is_alphanumeric(char c) noexcept
{
    return alphabet.find(c) != std::string_view::npos;
}

/** Spreads every bit of the number over all digits. */
std::uint64_t mixed(std::uint64_t z) noexcept
{
    z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
    z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
    return z ^ (z >> 31);
}

std::string short_id(std::uint64_t number)
{
    std::string id(short_id_size, '0');
    std::uint64_t rest = mixed(number);
    for (char& digit : id) {
        digit = alphabet[rest % alphabet.size()];
        rest /= alphabet.size();
    }
    return id;
}

// FNV-1a, written out because std::hash may differ between two builds, and a history outlives a build.
std::uint64_t hash_of(std::string_view text) noexcept
{
    std::uint64_t hash = 0xcbf2'9ce4'8422'2325;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3;
    return hash;
}

}  // namespace

std::string make_tool_id(std::uint64_t number, tool_id_style style)
{
    return style == tool_id_style::any ? "call_" + short_id(number) : short_id(number);
}

std::string plain_tool_id(std::string_view id)
{
    const auto is_plain = [](char c) { return is_alphanumeric(c) || c == '_' || c == '-'; };
    const bool fits = !id.empty() && std::all_of(id.begin(), id.end(), is_plain);
    return fits ? std::string{id} : "call_" + short_id(hash_of(id));
}

std::string translated_tool_id(std::string_view id, tool_id_style style)
{
    const bool fits = style == tool_id_style::any ||
                      (id.size() == short_id_size && std::all_of(id.begin(), id.end(), is_alphanumeric));
    return fits ? std::string{id} : short_id(hash_of(id));
}

}  // namespace weft::model_detail
