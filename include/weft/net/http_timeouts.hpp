#pragma once

#include <chrono>

namespace weft {

/** How long each phase of an HTTP exchange may take. There is no limit on the whole: a long answer is a good answer. */
class http_timeouts {
public:
    using duration = std::chrono::nanoseconds;

    http_timeouts() noexcept {}

    /** Name lookup, TCP, the tunnel of a proxy and TLS together. */
    http_timeouts& connect(duration limit) noexcept { return connect_ = limit, *this; }
    /** Between two pieces of the request that the peer takes. */
    http_timeouts& send(duration limit) noexcept { return send_ = limit, *this; }
    /** From the end of the request to the end of the response's head. A model that thinks is silent here. */
    http_timeouts& first_byte(duration limit) noexcept { return first_byte_ = limit, *this; }
    /** Between two reads of the body while the caller waits. Any byte counts, a comment or ping included. */
    http_timeouts& gap(duration limit) noexcept { return gap_ = limit, *this; }

    [[nodiscard]] duration connect() const noexcept { return connect_; }
    [[nodiscard]] duration send() const noexcept { return send_; }
    [[nodiscard]] duration first_byte() const noexcept { return first_byte_; }
    [[nodiscard]] duration gap() const noexcept { return gap_; }

private:
    duration connect_ = std::chrono::seconds{5};
    duration send_ = std::chrono::seconds{30};
    duration first_byte_ = std::chrono::seconds{60};
    duration gap_ = std::chrono::seconds{30};
};

}  // namespace weft
