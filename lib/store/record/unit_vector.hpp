#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

/** Vectors of length 1 as stores keep them: float32, little-endian, one behind the other. */
namespace weft::store_detail {

inline constexpr std::size_t component_bytes = sizeof(float);

/** The bytes of a vector, scaled to length 1.
 *  @par Errors   `errc::invalid_configuration` for one that is empty, too long, without direction or not finite. */
[[nodiscard]] std::string unit_vector_bytes(std::span<const float> components);

/** The cosine of the angle between two vectors of length 1, of one number of dimensions. */
[[nodiscard]] float cosine_of(std::string_view a, std::string_view b) noexcept;

}  // namespace weft::store_detail
