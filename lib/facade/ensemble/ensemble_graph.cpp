#include <weft/facade/ensemble_graph.hpp>

#include "ensemble_checks.hpp"

#include <weft/base/error.hpp>
#include <weft/engine/engine.hpp>
#include <weft/engine/trace/run_overlay_recorder.hpp>

#include <algorithm>
#include <optional>

namespace weft {

std::vector<ensemble_output> ensemble_routing_context::outputs_of(std::string_view state) const
{
    std::vector<ensemble_output> outputs;
    for (const ensemble_visit& visit : history)
        if (visit.state == state) outputs.push_back(visit.output);
    return outputs;
}

std::string_view ensemble_graph::edge_info::condition_description() const noexcept
{
    if (is_unconditional()) return "unconditional";
    return label.empty() ? std::string_view{"predicate"} : std::string_view{label};
}

const std::string& ensemble_graph::name() const noexcept { return plan_->name; }
const std::vector<ensemble_graph::state_info>& ensemble_graph::states() const noexcept { return plan_->states; }
const std::vector<ensemble_graph::edge_info>& ensemble_graph::edges() const noexcept { return plan_->edges; }
const std::vector<std::string>& ensemble_graph::no_feedback_states() const noexcept { return plan_->no_feedback; }
const std::string& ensemble_graph::start() const noexcept { return plan_->start; }
std::uint32_t ensemble_graph::max_steps() const noexcept { return static_cast<std::uint32_t>(plan_->max_steps); }
step_limit_action ensemble_graph::on_max_steps() const noexcept { return plan_->on_max_steps; }
bool ensemble_graph::injects_feedback_on_revisit() const noexcept { return plan_->injects_feedback; }

std::vector<ensemble_graph::edge_info> ensemble_graph::outgoing_edges(std::string_view state) const
{
    std::vector<edge_info> leaving;
    std::copy_if(plan_->edges.begin(), plan_->edges.end(), std::back_inserter(leaving),
                 [state](const edge_info& edge) { return edge.from == state; });
    return leaving;
}

/** One run: what its events tell, and its result in AgentEnsemble's words. */
class ensemble_run {
public:
    ensemble_run(const ensemble_graph& of, ensemble_request request)
        : of_{of}, request_{std::move(request)}, recorder_{of.graph()}
    {
    }

    [[nodiscard]] run_request to_request()
    {
        run_options limits = request_.options_;
        // The engine never raises at the limit: `apply_cap` says in the words of the source system what happened.
        limits.steps_max(of_.max_steps()).at_limit(step_limit_action::return_with_flag);
        auto made = run_request{request_.thread_}.options(std::move(limits)).stop(request_.stop_);
        if (request_.from_) {
            made.resume(request_.from_);
            if (!request_.answers_.empty()) made.answers(request_.answers_);
            if (const auto* before = request_.from_->root->root().find(ensemble_history_key)) steps_ = before->size();
        } else {
            // Before the first task: a variable without a value would be found after paid calls otherwise.
            check_variables(of_);
            made.input(ensemble_inputs_key, request_.inputs_);
        }
        made.on_event([this](const run_event& event) { see(event); });
        return made;
    }

    [[nodiscard]] ensemble_result to_result(const run_result& ended)
    {
        ensemble_result result;
        result.graph_name = of_.name();
        result.start_state = of_.start();
        result.max_steps = of_.max_steps();
        result.paused_at = ended.paused_at;
        result.questions = ended.questions;
        result.overlay = recorder_.overlay();
        if (const ensemble_inputs* const inputs = ended.state.find(ensemble_inputs_key)) result.inputs = *inputs;
        for (const auto& state : of_.states())
            if (state.task) result.tasks.emplace_back(state.name, state.task);
        add_history(result, ended);
        const bool is_capped = is_cut_short(ended);
        if (!is_capped) throw_if_failed(result, ended);
        result.termination_reason = is_capped                               ? "maxSteps"
                                    : ended.status == run_status::paused ? "paused"
                                                                         : "terminal";
        result.overlay.was_cut_short = is_capped;
        if (is_capped) apply_cap(result);
        return result;
    }

private:
    struct step_under_way {
        std::string state;
        ensemble_output output;
        std::string next;
        std::chrono::nanoseconds duration{0};
    };

    void check_variables(const ensemble_graph& of) const
    {
        for (const auto& state : of.states()) {
            if (state.inner) check_variables(*state.inner);
            if (!state.task) continue;
            static_cast<void>(resolve_variables(state.task->description, request_.inputs_));
            static_cast<void>(resolve_variables(state.task->expected_output, request_.inputs_));
        }
    }

    void see(const run_event& event)
    {
        recorder_.add(event);
        if (request_.on_event_) request_.on_event_(event);
        // Inner graphs have steps of their own, which are no states of this one.
        if (!event.address.empty()) return;
        using kind = run_event::kind;
        if (event.what == kind::edge_taken && !completed_.empty() && completed_.back().state == event.source) {
            const std::string_view next = event.node == weft::end ? ensemble_graph::end : event.node;
            completed_.back().next.append(completed_.back().next.empty() ? "" : ", ").append(next);
            is_routed_ = true;
            return;
        }
        // A step is told when the first event behind its edges comes: only then are all targets of it known.
        if (std::exchange(is_routed_, false)) tell(completed_.back());
        if (event.what == kind::node_started) begun_[std::string{event.node}] = event.at;
        if (event.what == kind::output && event.label == engine_detail::ensemble_output_label)
            outputs_[std::string{event.node}] = event.text;
        if (event.what == kind::node_succeeded) complete(event);
    }

    void complete(const run_event& event)
    {
        std::string name{event.node};
        ensemble_output output;
        // Reading the output back from its event costs more than the step of a small task: only for listeners.
        if (!request_.listeners_.empty()) output = from_json<ensemble_output>(parse_json(outputs_[name]));
        const auto duration = event.at - begun_[name];
        completed_.push_back({std::move(name), std::move(output), {}, duration});
    }

    void tell(const step_under_way& step)
    {
        ++steps_;
        const ensemble_state_completed what{of_.name(), step.state, static_cast<std::uint32_t>(steps_), of_.max_steps(),
                                            step.output, step.next, step.duration};
        for (const auto& listener : request_.listeners_) {
            try {
                listener(what);
            } catch (...) {
                // Listeners do not disturb runs; what they throw is ignored.
            }
        }
    }

    /** Where steps before a resume led is told by the step that followed. */
    void add_history(ensemble_result& result, const run_result& ended)
    {
        const ensemble_history* const visits = ended.state.find(ensemble_history_key);
        if (!visits) return;
        for (const ensemble_visit& visit : *visits) {
            if (!result.history.empty()) result.history.back().next_state = visit.state;
            result.history.push_back(
                {visit.state, static_cast<std::uint32_t>(result.history.size() + 1), visit.output, {}});
        }
        auto step = result.history.rbegin();
        for (auto seen = completed_.rbegin(); seen != completed_.rend() && step != result.history.rend(); ++seen) {
            const auto found = std::find_if(step, result.history.rend(),
                                            [&](const ensemble_step& s) { return s.state_name == seen->state; });
            if (found != result.history.rend()) found->next_state = seen->next;
            if (found == step) ++step;
        }
    }

    [[nodiscard]] bool is_cut_short(const run_result& ended) const
    {
        if (ended.was_cut_short) return true;
        const ensemble_history* const visits = ended.state.find(ensemble_history_key);
        // On the last permitted step a routing that fails counts as the limit (see `run`).
        const bool has_failed_to_route = ended.status == run_status::failed && visits && visits->size() == ended.steps;
        if (!has_failed_to_route || ended.steps < of_.max_steps()) return false;
        return ended.why->code == errc::no_edge_matched || ended.why->code == errc::condition_failed;
    }

    void apply_cap(ensemble_result& result) const
    {
        const step_limit_action action = of_.on_max_steps();
        result.was_terminated_by_max_steps = action == step_limit_action::return_with_flag;
        // The steps that were made are a result; only these two make an error of the limit.
        if (action != step_limit_action::raise && action != step_limit_action::fail) return;
        throw error{errc::steps_exceeded, "Graph '" + of_.name() + "'",
                    "Graph '" + of_.name() + "' did not reach a terminal state after " +
                        std::to_string(result.steps_run()) + " step(s). Last state: '" +
                        (result.history.empty() ? std::string{} : result.history.back().state_name) + "'."};
    }

    void throw_if_failed(const ensemble_result& result, const run_result& ended) const
    {
        if (ended.status == run_status::cancelled) throw error{errc::cancelled, "Graph '" + of_.name() + "'"};
        if (ended.status != run_status::failed) return;
        if (ended.why->code == errc::no_edge_matched && !ended.why->cause) throw no_edge_matched(result, *ended.why);
        // What a task or a predicate has thrown reaches the caller as it was.
        if (ended.why->cause) std::rethrow_exception(ended.why->cause);
        throw error{ended.why->code, "Graph '" + of_.name() + "'", ended.why->message};
    }

    [[nodiscard]] error no_edge_matched(const ensemble_result& result, const failure& why) const
    {
        std::string candidates;
        for (const auto& edge : of_.outgoing_edges(why.node))
            candidates.append(candidates.empty() ? "" : ", ").append("→ " + edge.to + " (")
                .append(edge.condition_description()).append(")");
        const ensemble_output* const last = result.last_output_for_state(why.node);
        return error{errc::no_edge_matched, "Graph '" + of_.name() + "'",
                     "state '" + why.node + "', step " + std::to_string(result.steps_run()) + ". Candidates: [" +
                         candidates + "]. Output: " + preview(last ? last->text : std::string{}) +
                         ". Add an edge without a condition as the otherwise"};
    }

    /** The first 200 characters. */
    static std::string preview(const std::string& text)
    {
        std::size_t characters = 0;
        for (std::size_t i = 0; i < text.size(); ++i) {
            const bool begins_one = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
            if (begins_one && ++characters > 200) return text.substr(0, i) + "…";
        }
        return text;
    }

    const ensemble_graph& of_;
    ensemble_request request_;
    std::map<std::string, time_point> begun_;
    std::map<std::string, std::string> outputs_;  // by state, as JSON
    std::vector<step_under_way> completed_;
    run_overlay_recorder recorder_;
    std::size_t steps_ = 0;
    bool is_routed_ = false;  // the last of `completed_` knows where it leads and has not been told
};

namespace {

task<ensemble_result> run_ensemble(ensemble_graph of, ensemble_request request)
{
    ensemble_run running{of, std::move(request)};
    const engine with{of.graph()};
    run_request made = running.to_request();
    const run_result ended = co_await with.run(std::move(made));
    co_return running.to_result(ended);
}

}  // namespace

task<ensemble_result> ensemble_graph::run(ensemble_request request) const
{
    return run_ensemble(*this, std::move(request));
}

}  // namespace weft
