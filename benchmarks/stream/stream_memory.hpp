#pragma once

#include <string>

namespace weft_bench {

/** What `--alone streams <count> weft` or `… floor` does: see `stream_memory_benchmarks`. */
[[nodiscard]] double stream_bytes_alone(const std::string& work);

}  // namespace weft_bench
