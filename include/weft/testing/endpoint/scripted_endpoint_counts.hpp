#pragma once

#include <weft/base/chrono.hpp>

#include <cstddef>

namespace weft::testing {

/** What has happened at a scripted endpoint so far. */
struct scripted_endpoint_counts {
    std::size_t connections = 0;       ///< TCP connections accepted.
    std::size_t connections_open = 0;  ///< Of them: not closed yet.
    std::size_t handshakes_failed = 0;   ///< TLS: refused by the client, or broken off.
    std::size_t handshakes_resumed = 0;  ///< TLS: continued an earlier session.
    std::size_t requests = 0;            ///< Read to their end.
    std::size_t requests_open = 0;       ///< Of them: being answered now.
    std::size_t requests_open_max = 0;   ///< The most that were being answered at once.
    std::size_t replies = 0;             ///< Sent to their end, faults and errors included.
    std::size_t closed_early = 0;        ///< Replies that the client did not wait for.
    std::size_t unanswered = 0;          ///< Chat requests for which the script had no step.
};

/** A reply that the client did not wait for. */
struct scripted_endpoint_early_close {
    std::size_t request = 0;  ///< Its number, from 1.
    std::size_t pieces = 0;   ///< Pieces of the reply that had been sent.
    std::chrono::steady_clock::time_point noticed;
};

}  // namespace weft::testing
