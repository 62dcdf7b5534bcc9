#pragma once

#include <weft/engine/durable/durable_graphs.hpp>
#include <weft/engine/run_request.hpp>
#include <weft/engine/run_result.hpp>
#include <weft/engine/scheduler/frontier.hpp>
#include <weft/store/record/checkpoint.hpp>
#include <weft/store/record/run_record.hpp>

#include <memory>
#include <optional>

namespace weft {

class patient_store;
struct head_ahead;

/** What a claimed run goes on from, which the newest checkpoint of its thread decides. */
struct run_basis {
    std::shared_ptr<const durable_graphs> graphs;  ///< Where `of` is.
    const durable_graphs::entry* of = nullptr;  ///< The revision of the graph that the run goes on with.
    std::optional<checkpoint> head;
    std::shared_ptr<const frontier> from;       ///< Null: it begins with nothing.
    std::optional<run_phase> ended;             ///< It was over, and its process could not say so.
    bool goes_on = false;                       ///< It begins where `from` stands, not anew.

    /** Whether the run has made a checkpoint. */
    [[nodiscard]] bool has_begun(run_id run) const noexcept { return head && head->run == run; }
    /** The run that began to count the visits: this one, unless it goes on where another one was broken off. */
    [[nodiscard]] run_id origin_for(run_id run) const;
    /** The result of a run that was over before. */
    [[nodiscard]] run_result ended_result() const;
    /** What the run begins with. @par Errors  Those of its input. */
    [[nodiscard]] run_request begin(const run_claim& claim, run_request request) const;

private:
    [[nodiscard]] std::shared_ptr<const frontier> beginning() const;
};

/** @param ahead    What was read of the thread already; null: nothing.
 *  @par Errors     Those of `read_frontier`; `invalid_configuration` if the graph is not known.
 *  @par Lifetimes  Store and claim outlive the task. */
[[nodiscard]] task<run_basis> read_basis(const patient_store& store, std::shared_ptr<const durable_graphs> graphs,
                                        const run_claim& claim, std::shared_ptr<const head_ahead> ahead);

}  // namespace weft
