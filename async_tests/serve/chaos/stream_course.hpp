#pragma once

#include "durable/ledger.hpp"

#include <weft/graph/graph.hpp>
#include <weft/graph/state/reducer.hpp>
#include <weft/graph/state_key.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace stream_chaos {

/** How much is done. */
struct stream_course {
    std::size_t kills = 40;            ///< Of processes, at random.
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
    /** The file outside of the store, for what nodes have done: then servers perform nothing, and the header `x-tenant`
     *  says whose request it is. Empty: a server performs a run at a time, and there is one tenant. */
    std::string ledger = {};
    bool is_unfenced = false;  ///< A worker writes whatever the store says of its fence.
};

inline constexpr int steps_of_a_run = 12;
inline constexpr int pieces_of_a_step = 4;
inline constexpr std::size_t places_of_a_worker = 2;           // of a fleet
inline constexpr std::chrono::milliseconds worker_lifetime{1'000};

/** A chain of nodes each of which says its name in pieces. @param ledger  Null: what they do is not noted. */
[[nodiscard]] weft::graph speaking_graph(std::shared_ptr<const weft_tests::ledger> ledger = nullptr);
inline constexpr weft::state_key<std::vector<std::string>, weft::append> said{"said"};
/** Serves clients, or executes runs, until it is killed. */
int serve(const process_orders& orders);
/** @return  What is wrong with what clients have got; empty: nothing. */
[[nodiscard]] std::vector<std::string> make_trouble(const stream_course& course);

}  // namespace stream_chaos
