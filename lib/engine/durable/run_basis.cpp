#include "run_basis.hpp"

#include "engine/checkpoint/left_state.hpp"
#include "engine/run/run_access.hpp"
#include "engine/worker/patient_store.hpp"
#include "run_input.hpp"
#include "run_outcomes.hpp"

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

}  // namespace

task<run_basis> read_basis(const patient_store& store, const durable_graphs& graphs, const run_claim& claim)
{
    run_basis basis;
    const write_fence& fence = claim.fence;
    basis.head = co_await store.load(fence.thread, std::nullopt);
    // A run goes on with the revision that it began with, if the process still knows it.
    const bool is_same_graph = basis.head && basis.head->graph == claim.graph;
    basis.of = &graphs.require(claim.graph, is_same_graph ? basis.head->graph_hash : std::string{});
    if (!basis.head) co_return basis;
    const checkpoint& head = *basis.head;
    basis.ended = end_of(head, fence.run);
    frontier where = co_await store.read_frontier(fence.thread, head, basis.of->graph(), basis.of->migrations);
    const bool has_begun = basis.has_begun(fence.run);
    const bool may_go_on = has_begun || beginning_of_input(claim.input) == run_beginning::where_it_stands;
    basis.goes_on = may_go_on && is_unfinished(where);
    // A run that begins anew does so with the newest revision of its graph.
    const durable_graphs::entry* const newest = graphs.find(claim.graph);
    if (!has_begun && newest != basis.of && !basis.goes_on) {
        basis.of = newest;
        where = co_await store.read_frontier(fence.thread, head, newest->graph(), newest->migrations);
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
    request.in_thread(claim.fence.thread.thread);
    // Each claim has an epoch of its own, so that its events come after those of the claims before.
    request.identity({run, static_cast<std::uint32_t>(claim.fence.epoch)});
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
