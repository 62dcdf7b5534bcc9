#pragma once

#include "stream_server.hpp"

namespace weft_bench {

#ifdef WEFT_WITH_CURL
/** CPU time for each chunk, in µs, when the streams are read with libcurl and nothing is made of their bytes. */
[[nodiscard]] double curl_us_per_chunk(const stream_server& server, const stream_shape& shape);
#endif

}  // namespace weft_bench
