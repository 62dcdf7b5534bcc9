#pragma once

#include <weft/base/memory/record_reader.hpp>
#include <weft/graph/node/failure.hpp>

#include <string>

namespace weft::checkpoint_detail {

/** The bytes of a failure; they refer to nothing. An exception becomes its text, unless it is a `weft::error`. */
[[nodiscard]] std::string bytes_of(const weft::failure& what);

/** What `bytes_of` made of a failure. @par Errors  `store_corrupt`. */
[[nodiscard]] failure_ptr read_failure(record_reader from);

}  // namespace weft::checkpoint_detail
