#pragma once

#include "stream_server.hpp"

#include <vector>

namespace weft_bench {

/** CPU time for each chunk, in µs, when the streams are read with Beast and nothing is made of their bytes. */
[[nodiscard]] double beast_us_per_chunk(const stream_server& server, const stream_shape& shape);

/** From the request to the first byte of the reply's body, in ms: the median of many on one connection. */
[[nodiscard]] double beast_first_token_ms(const stream_server& server, int requests);

/** The middle one. */
[[nodiscard]] double median_of(std::vector<double> values);

}  // namespace weft_bench
