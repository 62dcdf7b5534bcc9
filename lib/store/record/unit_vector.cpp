#include "unit_vector.hpp"

#include <weft/base/error.hpp>
#include <weft/store/item_vectors.hpp>

#include <boost/assert.hpp>
#include <boost/endian/conversion.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace weft::store_detail {

namespace {

// Sums that do not wait for each other: compilers make SIMD of them without leave to reorder additions.
constexpr std::size_t lanes = 16;

float component_at(const char* bytes) noexcept
{
    std::uint32_t bits;
    std::memcpy(&bits, bytes, sizeof bits);
    boost::endian::little_to_native_inplace(bits);
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

[[noreturn]] void refuse_vector(const std::string& why)
{
    throw error{errc::invalid_configuration, "vector of an item", why};
}

/** In double precision, since squares of floats overflow floats. */
double length_of(std::span<const float> components)
{
    double squares = 0;
    for (const float each : components) squares += static_cast<double>(each) * each;
    return std::sqrt(squares);
}

}  // namespace

std::string unit_vector_bytes(std::span<const float> components)
{
    if (components.empty()) refuse_vector("it has no dimensions: embed a text that is not empty");
    if (components.size() > item_vector::dimensions_max)
        refuse_vector("it has " + std::to_string(components.size()) + " dimensions, and stores take at most " +
                      std::to_string(item_vector::dimensions_max));
    const double length = length_of(components);
    if (!std::isfinite(length)) refuse_vector("one of its numbers is not finite");
    if (length == 0) refuse_vector("all its numbers are 0, which is no direction");
    std::string bytes(components.size() * component_bytes, '\0');
    for (std::size_t i = 0; i != components.size(); ++i) {
        const auto scaled = static_cast<float>(components[i] / length);
        std::uint32_t bits;
        std::memcpy(&bits, &scaled, sizeof bits);
        boost::endian::native_to_little_inplace(bits);
        std::memcpy(bytes.data() + i * component_bytes, &bits, sizeof bits);
    }
    return bytes;
}

float cosine_of(std::string_view a, std::string_view b) noexcept
{
    BOOST_ASSERT(a.size() == b.size());
    constexpr std::size_t block = lanes * component_bytes;
    std::array<float, lanes> sums{};
    const char* left = a.data();
    const char* right = b.data();
    std::size_t bytes_left = a.size();
    for (; bytes_left >= block; bytes_left -= block, left += block, right += block)
        for (std::size_t i = 0; i != lanes; ++i)
            sums[i] += component_at(left + i * component_bytes) * component_at(right + i * component_bytes);
    for (std::size_t i = 0; i * component_bytes < bytes_left; ++i)
        sums[i] += component_at(left + i * component_bytes) * component_at(right + i * component_bytes);
    float sum = 0;
    for (const float each : sums) sum += each;
    return sum;
}

}  // namespace weft::store_detail
