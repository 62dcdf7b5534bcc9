#include "run_tracer.hpp"

#include <algorithm>

namespace weft {

namespace {

/** Lays visits one after another. What has been laid is never laid again, whatever the times in the log say, so that
 *  the spans of a path sum to what it is the path of. */
class path_layer {
public:
    path_layer(const run_trace& trace, const run_lineage& lineage) : trace_{trace}, lineage_{lineage} {}

    /** The visits of an instance that its end waited for, up to `until`. */
    void lay_instance(std::size_t instance, run_trace::span until)
    {
        std::vector<std::size_t> chain;
        // Backwards from the end, by what each visit waited for; what else ran beside it did not hold the run up.
        for (std::size_t v = lineage_.last[instance]; v != run_trace::none && lineage_.visits[v].instance == instance;
             v = trace_.visits[v].after)
            chain.push_back(v);
        for (auto visit = chain.rbegin(); visit != chain.rend(); ++visit) lay_visit(*visit, until);
    }

    void lay(std::size_t visit, run_trace::span until, bool is_waiting)
    {
        // Laid already, by a visit that ran beside this one.
        if (until <= at_) return;
        const bool goes_on = !steps_.empty() && steps_.back().visit == visit && steps_.back().is_waiting == is_waiting;
        if (goes_on) steps_.back().end = until;
        else steps_.push_back({visit, is_waiting, at_, until});
        at_ = until;
    }

    [[nodiscard]] std::vector<run_trace::step> take() { return std::move(steps_); }

private:
    void lay_visit(std::size_t index, run_trace::span until)
    {
        const run_trace::visit& visit = trace_.visits[index];
        const auto& inside = lineage_.visits[index].inside;
        for (std::size_t i = 0; i < visit.attempts.size(); ++i) {
            // Before an attempt: the delay of a retry, or the wait for a place among nodes that run.
            lay(index, std::min(visit.attempts[i].start, until), true);
            const run_trace::span end = std::min(visit.attempts[i].end, until);
            if (i < inside.size() && inside[i] != run_trace::none) lay_instance(inside[i], end);
            lay(index, end, false);
        }
        lay(index, std::min(visit.end, until), true);
    }

    const run_trace& trace_;
    const run_lineage& lineage_;
    std::vector<run_trace::step> steps_;
    run_trace::span at_{};
};

}  // namespace

std::vector<run_trace::step> critical_path_of(const run_trace& trace, const run_lineage& lineage)
{
    path_layer path{trace, lineage};
    // The run's own graph is the first that began within nothing.
    for (std::size_t v = 0; v < trace.visits.size(); ++v) {
        if (!trace.visits[v].address.empty()) continue;
        path.lay_instance(lineage.visits[v].instance, trace.elapsed);
        break;
    }
    // What is left at the end is no visit's: a save, or a pause.
    path.lay(run_trace::none, trace.elapsed, true);
    return path.take();
}

}  // namespace weft
