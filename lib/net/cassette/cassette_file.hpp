#pragma once

#include "recorded_exchange.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <vector>

namespace weft::net_detail {

/** Reads the exchanges in the file of a cassette. @par Errors   As the constructor of `cassette`. */
[[nodiscard]] std::vector<recorded_exchange> read_cassette(const std::filesystem::path& file, std::size_t bytes_max);

/** Writes a file of exchanges, one a line; it takes the place of an older one when it is whole.
 *  @par Errors   As `cassette::save`. */
void write_cassette(const std::filesystem::path& file,
                    const std::vector<std::shared_ptr<const recorded_exchange>>& exchanges);

}  // namespace weft::net_detail
