#pragma once

#include <weft/base/budget_ledger.hpp>
#include <weft/base/chrono.hpp>
#include <weft/base/memory/copied_ptr.hpp>
#include <weft/base/memory/pooled_vector.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/engine/scheduler/node_path.hpp>
#include <weft/engine/scheduler/open_question.hpp>
#include <weft/engine/scheduler/run_status.hpp>
#include <weft/graph/graph.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

struct frontier;

/** What became of a run. A node that failed is a status here, never an exception.
 *
 *      const weft::run_result result = co_await engine.run(weft::run_request{topic, "rain"});
 *      if (!result.ok()) std::cerr << result.message() << '\n';
 *      else std::cout << result.get(report) << '\n';
 *
 *  @par Thread safety   As a value.
 */
class run_result {
public:
    run_result() noexcept;
    run_result(run_status status, run_quality quality) noexcept;
    // In the source, since each of its users would compile the copies of all members.
    run_result(const run_result&);
    run_result(run_result&&) noexcept;
    run_result& operator=(const run_result&);
    run_result& operator=(run_result&&) noexcept;
    ~run_result();

    run_status status = run_status::failed;
    run_quality quality = run_quality::failed;
    run_id id;                                  ///< The run, the same after a resume; as in its events.
    weft::state state;                          ///< The values at the end.
    failure_ptr why;                            ///< Set if the run failed; its message names node, visit and attempt.
    std::chrono::nanoseconds elapsed{0};
    std::uint32_t steps = 0;                    ///< Node visits.
    std::uint32_t retries = 0;                  ///< Attempts beyond the first.
    std::uint32_t saves_failed = 0;             ///< Saves on a best effort that were not kept.
    bool was_cut_short = false;                 ///< A limit of steps ended it; see `return_with_flag`.
    copied_ptr<goal_report> goal;               ///< Of a finished run of a graph that has a goal.
    copied_ptr<spending> spent;                 ///< Null if nothing was counted: see `run_options::budget`.
    std::vector<std::string_view> resume_from;  ///< Nodes that were not finished: where a resume begins.
    std::vector<std::string> unresponsive;      ///< Nodes that did not stop in time and were destroyed.
    std::shared_ptr<const frontier> paused_at;  ///< Of a paused run: give it to `run_request::resume`.
    std::vector<open_question> questions;       ///< Of a paused run: answer them with `run_request::answers`.

    /** Whether the run came to its end. Not: it failed, was cancelled, or is paused. */
    [[nodiscard]] bool ok() const noexcept { return status == run_status::finished; }
    /** For code that has nothing to do with a run that is not `ok`.
     *  @par Errors
     *    - the code of `why`, with its message: the node, the visit, the attempt, and the cause.
     *    - `errc::cancelled`  the run was stopped, or is paused; the message names the questions that are open. */
    void throw_if_failed() const;
    /** The value of a key at the end.
     *  @par Errors
     *    - `errc::missing_state_value`  no node that ran has written it; the message says why a run is not `ok`.
     *    - `errc::unknown_state_key`    the graph does not declare it; the message lists the keys that it declares.
     *    - `errc::state_type_mismatch`  the graph declares it with another type.
     *  @par Lifetimes       The value belongs to the result. */
    template <class T, class R>
    [[nodiscard]] const T& get(const state_key<T, R>& key) const
    {
        const T* const found = state.find(key);
        if (!found) refuse_missing(key.name());
        return *found;
    }

    /** The names of the nodes in the order in which they were started; they belong to the graph. */
    [[nodiscard]] std::vector<std::string_view> path() const;
    /** How often a node was visited. */
    [[nodiscard]] std::uint32_t visits_of(std::string_view node) const;
    /** The message of `why`, or the status; for logs. */
    [[nodiscard]] std::string message() const;

private:
    friend struct run_result_access;  // the engine

    [[noreturn]] void refuse_missing(std::string_view key) const;
    /** For messages: `graph 'first'`. */
    [[nodiscard]] std::string place() const;

    std::optional<graph> graph_;
    node_path path_;
    pooled_vector<std::uint32_t> visits_;
    std::uint32_t line_ = 0;  // in place of path and visits: so many nodes of the graph's line, each once
};

}  // namespace weft
