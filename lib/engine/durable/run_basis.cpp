#include "run_basis.hpp"

#include "engine/checkpoint/blob_gathering.hpp"
#include "engine/checkpoint/left_state.hpp"
#include "engine/commit/store_call.hpp"
#include "engine/run/run_access.hpp"
#include "engine/worker/patient_store.hpp"
#include "head_ahead.hpp"
#include "run_input.hpp"
#include "run_outcomes.hpp"

#include <weft/base/error.hpp>

#include <exception>
#include <string>
#include <utility>

namespace weft {

namespace {

/** The run was over when its process went away before it could say so. */
std::optional<run_phase> end_of(const checkpoint& head, run_id run)
{
    if (head.run != run) return std::nullopt;
    if (head.kind == checkpoint_kind::cancel) return run_phase::cancelled;
    if (head.kind != checkpoint_kind::finish) return std::nullopt;
    return head.node.empty() ? run_phase::finished : run_phase::failed;
}

/** Where a checkpoint stands, by what there is of it already, or by the store. */
class head_reader {
public:
    head_reader(const patient_store& store, const thread_key& thread, std::shared_ptr<const head_ahead> ahead)
        : store_{store}, thread_{thread}, ahead_{std::move(ahead)}
    {
    }
    [[nodiscard]] task<frontier> read(const checkpoint& head, const durable_graphs::entry& as) const
    {
        if (ahead_) return checkpoint_detail::read_gathered(ahead_->blobs, head, as.graph(), as.migrations);
        return store_.read_frontier(thread_, head, as.graph(), as.migrations);
    }

private:
    const patient_store& store_;
    const thread_key& thread_;
    const std::shared_ptr<const head_ahead> ahead_;
};

/** A run whose revision was replaced goes on with the newest one, unless it stands where that has no place for it. */
task<const durable_graphs::entry*> choose_revision(const head_reader& reader, const run_basis& basis)
{
    const durable_graphs::entry* const newest = basis.graphs->find(basis.of->graph().name());
    if (!basis.of->is_former || !basis.head || !newest) co_return basis.of;
    const store_answer<frontier> read = co_await answer_of(reader.read(*basis.head, *newest));
    if (!read && read.code != errc::graph_changed) std::rethrow_exception(read.error);
    co_return read ? newest : basis.of;
}

}  // namespace

task<run_basis> read_basis(const patient_store& store, std::shared_ptr<const durable_graphs> graphs,
                           const run_claim& claim, std::shared_ptr<const head_ahead> ahead)
{
    run_basis basis;
    basis.graphs = std::move(graphs);
    const write_fence& fence = claim.fence;
    // A thread without a checkpoint is not asked for one: its first run begins sooner. By its number a store may have
    // it at hand, as it came with the claim.
    // The thread went on since it was read.
    if (ahead && ahead->head.sequence != fence.head) ahead.reset();
    if (ahead)
        basis.head = ahead->head;
    else if (fence.head != 0)
        basis.head = co_await store.load(fence.thread, fence.head);
    // A run goes on with the revision that it began with, if the process still knows it.
    const bool is_same_graph = basis.head && basis.head->graph == claim.graph;
    basis.of = &basis.graphs->require(claim.graph, is_same_graph ? basis.head->graph_hash : std::string{});
    if (!basis.head) co_return basis;
    const head_reader reader{store, fence.thread, std::move(ahead)};
    basis.of = co_await choose_revision(reader, basis);
    const checkpoint& head = *basis.head;
    basis.ended = end_of(head, fence.run);
    frontier where = co_await reader.read(head, *basis.of);
    const bool has_begun = basis.has_begun(fence.run);
    const bool may_go_on = has_begun || beginning_of_input(claim.input) == run_beginning::where_it_stands;
    basis.goes_on = may_go_on && is_unfinished(where);
    // A run that begins anew does so with the newest revision of its graph.
    const durable_graphs::entry* const newest = basis.graphs->find(claim.graph);
    if (!has_begun && newest && newest != basis.of && !basis.goes_on) {
        basis.of = newest;
        where = co_await reader.read(head, *newest);
    }
    basis.from = std::make_shared<const frontier>(std::move(where));
    co_return basis;
}

run_id run_basis::origin_for(run_id run) const
{
    if (!from || !goes_on) return run;
    const run_id counted = from->extras ? from->extras->origin : run_id{};
    const run_id origin = counted.is_nil() ? head->run : counted;
    return origin.is_nil() ? run : origin;
}

run_result run_basis::ended_result() const
{
    run_result result{status_of(*ended), run_quality::clean};
    if (result.status == run_status::failed)
        result = failed_result(errc::node_failed, "it failed at '" + head->node + "', and its process ended");
    result.state = left_state(of->graph(), *from, head->kind);
    result.steps = from->steps;
    result.retries = from->retries;
    run_result_access::set_trail(result, of->graph(), from->path, from->visits);
    return result;
}

/** Where the next run begins: where the last one stands, or anew with the state that it left. */
std::shared_ptr<const frontier> run_basis::beginning() const
{
    if (!from || goes_on) return from;
    return std::make_shared<const frontier>(frontier{left_state(of->graph(), *from, head->kind)});
}

run_request run_basis::begin(const run_claim& claim, run_request request) const
{
    const run_id run = claim.fence.run;
    // A run that is taken over has an empty request; its nodes see their thread all the same.
    request.in_thread(claim.fence.thread.thread, claim.fence.thread.tenant);
    // Each claim has an epoch of its own, so that its events come after those of the claims before.
    request.identity({run, static_cast<std::uint32_t>(claim.fence.epoch)});
    // A run that was begun in another process belongs to its trace all the same.
    give_trace_of_input(claim.input, request);
    give_limits_of_input(claim.input, of->options, request);
    if (!has_begun(run)) request = read_run_input(claim.input, *of->graph().layout(), std::move(request));
    std::shared_ptr<const frontier> start = beginning();
    if (const run_id origin = origin_for(run); origin != run) {
        auto marked = std::make_shared<frontier>(*start);
        marked->extra().origin = origin;
        start = std::move(marked);
    }
    if (start) request.resume(std::move(start));
    return request;
}

}  // namespace weft
