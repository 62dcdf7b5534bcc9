#include <weft/base/text/span.hpp>

namespace weft {

const span_value* span::find(span_key key) const noexcept
{
    for (const span_attribute& each : attributes)
        if (each.key == key) return &each.value;
    return nullptr;
}

std::string_view span::text(span_key key) const noexcept
{
    const span_value* const found = find(key);
    const std::string* const said = found ? std::get_if<std::string>(found) : nullptr;
    return said ? std::string_view{*said} : std::string_view{};
}

std::int64_t span::number(span_key key) const noexcept
{
    const span_value* const found = find(key);
    const std::int64_t* const said = found ? std::get_if<std::int64_t>(found) : nullptr;
    return said ? *said : 0;
}

std::uint64_t span_within(std::uint64_t parent, std::string_view name, std::uint32_t visit,
                          std::uint32_t attempt) noexcept
{
    std::uint64_t hash = 14695981039346656037ULL ^ parent;  // FNV-1a, then the finish of splitmix64
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    hash = (hash ^ visit) * 1099511628211ULL;
    hash = (hash ^ attempt) * 1099511628211ULL;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9ULL;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebULL;
    hash ^= hash >> 31;
    return hash == 0 ? 1 : hash;
}

}  // namespace weft
