#pragma once

#include <weft/async/task.hpp>
#include <weft/base/list.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/graph/graph.hpp>
#include <weft/store/role/forwarding_store.hpp>

#include <boost/describe.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace weft_bench {

/** One message of a conversation. */
struct said {
    std::string role;
    std::string text;
};
BOOST_DESCRIBE_STRUCT(said, (), (role, text))

using said_list = weft::list<said>;

/** The runs of all benchmarks of durable runs: a node that goes round and round, writes two small keys each time and
 *  says something, and a node that comes last. */
struct durable_load {
    std::uint32_t steps = 1'000;       ///< Rounds; the last node is one more.
    int says = 0;                      ///< Messages of a round.
    std::size_t message_bytes = 1'024;
    bool pauses = false;               ///< Before the last node.
    std::function<void()> on_last = {};
};

inline constexpr weft::state_key<std::uint32_t> rounds{"rounds"};
inline constexpr weft::state_key<double> score{"score"};
inline constexpr weft::state_key<std::string> topic{"topic"};
inline constexpr weft::state_key<said_list> messages{"messages"};

[[nodiscard]] weft::graph graph_of(const durable_load& load);
[[nodiscard]] std::shared_ptr<const weft::durable_graphs> graphs_of(const durable_load& load);
[[nodiscard]] weft::run_request request_for(const std::string& thread);
/** A text that no other message is equal to. */
[[nodiscard]] std::string message_text(std::uint64_t number, std::size_t bytes);

/** Options of a durable engine that keeps every checkpoint, so that nothing is counted but what is written. */
[[nodiscard]] weft::durable_options keeping_all();

/** Runs threads side by side to their ends, or to where they pause. */
[[nodiscard]] weft::task<void> run_threads(weft::durable_engine& durable, std::vector<std::string> names,
                                           weft::run_status wanted);
[[nodiscard]] std::vector<std::string> thread_names(const std::string& stem, int count);

/** Notes what a run asks of its store, so that the same can be asked again without the run. */
class noting_store final : public weft::forwarding_store {
public:
    using forwarding_store::forwarding_store;

    struct noted_commit {
        weft::thread_key thread;
        weft::checkpoint_draft draft;
    };

    [[nodiscard]] weft::task<weft::commit_result> commit(weft::write_fence fence,
                                                         weft::checkpoint_draft draft) override;
    [[nodiscard]] const std::vector<noted_commit>& commits() const noexcept { return commits_; }

private:
    std::vector<noted_commit> commits_;
};

/** The commits of runs of this load, thread after thread in turns, as they come when all run side by side.
 *  @param key   Of the store that will get them. */
[[nodiscard]] std::vector<noting_store::noted_commit> commits_of(const durable_load& load, int threads,
                                                                 weft::hash_key key);

}  // namespace weft_bench
