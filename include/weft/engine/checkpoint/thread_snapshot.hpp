#pragma once

#include <weft/graph/graph.hpp>
#include <weft/store/record/checkpoint.hpp>

#include <boost/json/value.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft {

struct frontier;

/** A checkpoint that was read: where the run stood, and its state.
 *
 *  @par Thread safety   As a value.
 */
class thread_snapshot {
public:
    thread_snapshot(checkpoint_info info, weft::graph of, frontier where);

    [[nodiscard]] const checkpoint_info& info() const noexcept { return info_; }
    [[nodiscard]] const weft::graph& graph() const noexcept { return graph_; }
    [[nodiscard]] const frontier& where() const noexcept { return *where_; }
    /** The values of the run; those of open branches are not in it yet. Where a run failed or was cancelled, what it
     *  left: with the finished branches, as in its `run_result`. */
    [[nodiscard]] const weft::state& state() const noexcept { return state_; }
    /** Whether a run that goes on from here has something left to do. */
    [[nodiscard]] bool is_unfinished() const noexcept;
    /** The nodes it would begin with, by name. */
    [[nodiscard]] std::vector<std::string> next_nodes() const;

private:
    checkpoint_info info_;
    weft::graph graph_;
    std::shared_ptr<const frontier> where_;  // snapshots share it; its type is for the engine
    weft::state state_;
};

/** Whether a run that goes on from a frontier has something left to do. */
[[nodiscard]] bool is_unfinished(const frontier& where) noexcept;

/** What differs between two checkpoints. */
struct snapshot_difference {
    struct key_change {
        std::string key;
        std::optional<boost::json::value> before;  ///< Nothing: it had no value, or the graph had no such key.
        std::optional<boost::json::value> after;
    };
    struct visit_change {
        std::string node;
        std::uint32_t before = 0;
        std::uint32_t after = 0;
    };

    std::vector<key_change> keys;
    std::vector<visit_change> visits;
    std::pair<std::uint32_t, std::uint32_t> steps;                                    ///< Before and after.
    std::pair<std::uint32_t, std::uint32_t> retries;
    std::pair<std::vector<std::string>, std::vector<std::string>> next_nodes;

    /** Whether the two stand at the same place with the same values. */
    [[nodiscard]] bool is_empty() const noexcept;
};

/** What differs between two checkpoints, of one thread or of two, also of different revisions of a graph. Values are
 *  compared as JSON. */
[[nodiscard]] snapshot_difference compare(const thread_snapshot& before, const thread_snapshot& after);

}  // namespace weft
