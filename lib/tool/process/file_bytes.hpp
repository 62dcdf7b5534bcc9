#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::tool_detail {

// Whole reads and writes of files: a signal in the middle is no end, and half a write is not one either.

/** Reads as much as there is, at most `size`. @return   Nothing if the system refuses; `errno` says why. */
[[nodiscard]] std::optional<std::string> read_at(int fd, std::uint64_t offset, std::size_t size);

/** @return   False if the system refuses; `errno` says why. */
[[nodiscard]] bool write_all(int fd, std::string_view text);

}  // namespace weft::tool_detail
