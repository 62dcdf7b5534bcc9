#pragma once

#include <cstdint>

namespace weft {

/** What the connections of an `http_client` do and did, on all loops together. */
struct http_client_counts {
    std::uint64_t opened = 0;    ///< Connections made, so far.
    std::uint64_t resumed = 0;   ///< Of these, how many took a TLS session up again.
    std::uint64_t reused = 0;    ///< Requests sent over a connection that had served another one, so far.
    std::uint64_t repeated = 0;  ///< Requests sent again because a reused connection was dead, so far.
    std::uint64_t open = 0;      ///< Connections open now, the unused ones included.
    std::uint64_t idle = 0;      ///< Connections kept open unused now.
};

}  // namespace weft
