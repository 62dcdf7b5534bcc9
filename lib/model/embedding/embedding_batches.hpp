#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace weft::model_detail {

struct batch_limits {
    std::size_t inputs_max = 1;
    std::size_t bytes_max = 1;
};

/** How many texts go in each request, in their order: as many as its limits allow.
 *
 *  @par Errors   `errc::invalid_configuration` for a text that is empty or longer than a request may be. */
[[nodiscard]] std::vector<std::size_t> batches_of(std::span<const std::string> texts, batch_limits limits);

}  // namespace weft::model_detail
