#pragma once

#include <weft/base/chrono.hpp>

namespace weft {

/** How long each phase of an HTTP exchange may take. There is no limit on the whole: a long answer is a good answer.
 *
 *      http_client client{{.timeouts = {.connect = 10s, .first_byte = 5min, .gap = 1min}}};
 */
struct http_timeouts {
    /** Name lookup, TCP, the tunnel of a proxy and TLS together. */
    std::chrono::nanoseconds connect = std::chrono::seconds{5};
    /** Between two pieces of the request that the peer takes. */
    std::chrono::nanoseconds send = std::chrono::seconds{30};
    /** From the end of the request to the end of the response's head. A model that thinks is silent here. */
    std::chrono::nanoseconds first_byte = std::chrono::seconds{60};
    /** Between two reads of the body while the caller waits. Any byte counts, a comment or ping included. */
    std::chrono::nanoseconds gap = std::chrono::seconds{30};
};

}  // namespace weft
