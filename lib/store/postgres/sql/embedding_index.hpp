#pragma once

#include <cstddef>
#include <string>

namespace weft::postgres_detail {

/** `postgres_vector_index`, checked. */
struct embedding_index {
    std::string model;
    std::size_t dimensions = 0;
    std::size_t candidates = 0;
};

}  // namespace weft::postgres_detail
