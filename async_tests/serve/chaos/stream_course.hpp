#pragma once

#include <weft/graph/graph.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace stream_chaos {

/** How much is done. */
struct stream_course {
    std::size_t kills = 100;           ///< Of processes, at random.
    std::size_t followers = 6;         ///< Clients that follow a run each, one run after the other.
    std::chrono::seconds patience{120};
    std::uint64_t seed = 1;
    std::chrono::seconds outage{0};    ///< Instead of kills: PostgreSQL is away for so long.
};

/** What a process is to do. */
struct process_orders {
    std::string connection;
    std::string schema;
    std::uint16_t port = 0;  ///< 0: it executes runs, and serves no clients.
};

inline constexpr int steps_of_a_run = 12;
inline constexpr int pieces_of_a_step = 4;

/** A chain of nodes each of which says its name in pieces. */
[[nodiscard]] weft::graph speaking_graph();
/** Serves clients, or executes runs, until it is killed. */
int serve(const process_orders& orders);
/** @return  What is wrong with what clients have got; empty: nothing. */
[[nodiscard]] std::vector<std::string> make_trouble(const stream_course& course);

}  // namespace stream_chaos
