#include "sql_statement.hpp"

#include <boost/endian/conversion.hpp>

#include <array>
#include <cstring>

namespace weft::postgres_detail {

unsigned type_oid(char letter) noexcept
{
    switch (letter) {
        case 't': return 25;
        case 'b': return 17;
        case 'i': return 20;
        case 'u': return 2950;
        case 'o': return 16;
        case 'T': return 1009;
        case 'B': return 1001;
        case 'I': return 1016;
        case 'U': return 2951;
        case 'F': return 1021;
        default: return 0;
    }
}

namespace {

constexpr std::size_t array_head_bytes = 20;  // dimensions, nulls, type, size, the first index

template <class Integer>
std::array<char, sizeof(Integer)> on_the_wire(Integer value) noexcept
{
    std::array<char, sizeof(Integer)> bytes;
    boost::endian::native_to_big_inplace(value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

}  // namespace

void append_int32(std::string& to, std::int32_t value)
{
    const auto bytes = on_the_wire(value);
    to.append(bytes.data(), bytes.size());
}

void append_int64(std::string& to, std::int64_t value)
{
    const auto bytes = on_the_wire(value);
    to.append(bytes.data(), bytes.size());
}

sql_parameters& sql_parameters::reserve(std::size_t count, std::size_t bytes)
{
    types_.reserve(types_.size() + count);
    slots_.reserve(slots_.size() + count);
    bytes_.reserve(bytes_.size() + bytes);
    return *this;
}

sql_parameters& sql_parameters::add(char type, std::string_view value)
{
    types_.push_back(type);
    slots_.push_back({bytes_.size(), static_cast<int>(value.size())});
    bytes_.append(value);
    return *this;
}

sql_parameters& sql_parameters::integer(std::int64_t value)
{
    const auto encoded = on_the_wire(value);
    return add('i', {encoded.data(), encoded.size()});
}

sql_parameters& sql_parameters::id(const unique_id& value)
{
    if (value.is_nil()) return null('u');
    return add('u', {reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size()});
}

sql_parameters& sql_parameters::null(char type)
{
    types_.push_back(type);
    slots_.push_back({bytes_.size(), -1});
    return *this;
}

template <class Text>
sql_parameters& sql_parameters::array(char type, char element, std::span<const Text> values)
{
    const std::size_t begin = bytes_.size();
    std::size_t bytes = array_head_bytes;
    for (const Text& value : values) bytes += sizeof(std::int32_t) + value.size();
    if (bytes_.capacity() - begin < bytes) bytes_.reserve(begin + bytes);
    append_int32(bytes_, values.empty() ? 0 : 1);  // dimensions
    append_int32(bytes_, 0);                       // no nulls
    append_int32(bytes_, static_cast<std::int32_t>(type_oid(element)));
    if (!values.empty()) {
        append_int32(bytes_, static_cast<std::int32_t>(values.size()));
        append_int32(bytes_, 1);  // the first index
    }
    for (const Text& value : values) {
        append_int32(bytes_, static_cast<std::int32_t>(value.size()));
        bytes_.append(value);
    }
    types_.push_back(type);
    slots_.push_back({begin, static_cast<int>(bytes_.size() - begin)});
    return *this;
}

template sql_parameters& sql_parameters::array(char type, char element, std::span<const std::string> values);

sql_parameters& sql_parameters::values(char element, std::span<const std::string_view> values)
{
    return array(static_cast<char>(element - 'a' + 'A'), element, values);
}

std::vector<std::string_view> sql_parameters::elements(std::size_t index) const
{
    std::vector<std::string_view> found;
    std::string_view left = value(index);
    if (left.size() < array_head_bytes) return found;  // an array of nothing ends before its bounds
    left.remove_prefix(array_head_bytes);
    while (!left.empty()) {
        const auto* bits = reinterpret_cast<const unsigned char*>(left.data());
        const auto length = static_cast<std::size_t>(boost::endian::load_big_s32(bits));
        found.push_back(left.substr(sizeof(std::int32_t), length));
        left.remove_prefix(sizeof(std::int32_t) + length);
    }
    return found;
}

sql_parameters& sql_parameters::floats(std::string_view little_endian)
{
    constexpr std::size_t each = sizeof(std::uint32_t);
    constexpr std::int32_t float4_oid = 700;
    const std::size_t begin = bytes_.size();
    bytes_.reserve(begin + 5 * each + 2 * little_endian.size());
    append_int32(bytes_, 1);  // dimensions
    append_int32(bytes_, 0);  // no nulls
    append_int32(bytes_, float4_oid);
    append_int32(bytes_, static_cast<std::int32_t>(little_endian.size() / each));
    append_int32(bytes_, 1);  // the first index
    for (std::size_t at = 0; at + each <= little_endian.size(); at += each) {
        append_int32(bytes_, static_cast<std::int32_t>(each));
        const auto* bits = reinterpret_cast<const unsigned char*>(little_endian.data() + at);
        append_int32(bytes_, boost::endian::load_little_s32(bits));
    }
    types_.push_back('F');
    slots_.push_back({begin, static_cast<int>(bytes_.size() - begin)});
    return *this;
}

std::string joined(std::span<const content_hash> hashes)
{
    std::string bytes;
    bytes.reserve(hashes.size() * sizeof(content_hash::bytes));
    for (const content_hash& hash : hashes)
        bytes.append(reinterpret_cast<const char*>(hash.bytes.data()), hash.bytes.size());
    return bytes;
}

std::optional<std::vector<content_hash>> split_hashes(std::string_view bytes)
{
    constexpr std::size_t each = sizeof(content_hash::bytes);
    if (bytes.size() % each != 0) return std::nullopt;
    std::vector<content_hash> hashes(bytes.size() / each);
    for (std::size_t i = 0; i < hashes.size(); ++i)
        std::memcpy(hashes[i].bytes.data(), bytes.data() + i * each, each);
    return hashes;
}

}  // namespace weft::postgres_detail
