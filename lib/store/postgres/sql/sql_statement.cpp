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

sql_parameters& sql_parameters::begin_array(char element, std::size_t count)
{
    types_.push_back(static_cast<char>(element - 'a' + 'A'));
    slots_.push_back({bytes_.size(), 0});
    append_int32(bytes_, count == 0 ? 0 : 1);  // dimensions
    append_int32(bytes_, 0);                   // no nulls
    append_int32(bytes_, static_cast<std::int32_t>(type_oid(element)));
    if (count > 0) {
        append_int32(bytes_, static_cast<std::int32_t>(count));
        append_int32(bytes_, 1);  // the first index
    }
    end_element();
    return *this;
}

sql_parameters& sql_parameters::element(std::string_view value)
{
    append_int32(bytes_, static_cast<std::int32_t>(value.size()));
    bytes_.append(value);
    end_element();
    return *this;
}

sql_parameters& sql_parameters::element(std::int64_t value)
{
    const auto encoded = on_the_wire(value);
    return element(std::string_view{encoded.data(), encoded.size()});
}

sql_parameters& sql_parameters::element(const unique_id& value)
{
    return element(std::string_view{reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size()});
}

sql_parameters& sql_parameters::array(char element_type, std::span<const std::string> values)
{
    std::size_t bytes = array_head_bytes;
    for (const std::string& value : values) bytes += sizeof(std::int32_t) + value.size();
    if (bytes_.capacity() - bytes_.size() < bytes) bytes_.reserve(bytes_.size() + bytes);
    begin_array(element_type, values.size());
    for (const std::string& value : values) element(std::string_view{value});
    return *this;
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

std::string_view joined(std::span<const content_hash> hashes) noexcept
{
    static_assert(sizeof(content_hash) == sizeof(content_hash::bytes), "hashes lie side by side");
    return {reinterpret_cast<const char*>(hashes.data()), hashes.size_bytes()};
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
