#include "state_run.hpp"

#include "state_checks.hpp"

#include <weft/base/random.hpp>
#include <weft/base/system/id_generator.hpp>
#include <weft/engine/engine.hpp>

#include <weft/engine/run/execution_meta.hpp>

#include <limits>

namespace weft {

/** One run of a thread: what it begins with, and its end in PyAgenity's words. */
class state_run {
public:
    state_run(state_request request, const compiled_state_graph& graph, random_source& random)
        : request_{std::move(request)}, threads_{graph.threads()}
    {
        if (request_.thread_.empty()) request_.thread_ = graph.new_thread_id(random);
        if (threads_ && !threads_->enter(request_.thread_, pause_))
            throw state_graph_error{"GRAPH_000", errc::invalid_configuration,
                                    "Thread '" + request_.thread_ + "' runs already. Wait for its end, or stop it"};
    }
    state_run(const state_run&) = delete;
    state_run& operator=(const state_run&) = delete;
    ~state_run()
    {
        if (threads_) threads_->leave(request_.thread_);
    }

    [[nodiscard]] run_request to_request()
    {
        const auto before = threads_ ? threads_->load(request_.thread_) : std::nullopt;
        const bool is_resume =
            before && before->status != thread_status::completed && before->status != thread_status::error;
        if (!is_resume && request_.messages_.empty())
            throw state_graph_error{"GRAPH_000", errc::invalid_configuration,
                                    "Input data must contain 'messages' for new execution."};
        run_request made{request_.thread_};
        if (before) made.resume(before->at);
        state_update input = std::move(request_.values_);
        if (!is_resume) input.overwrite(engine_detail::parent_target_key, std::string{});
        if (!request_.messages_.empty()) input.set(context_key, std::move(request_.messages_));
        run_options limits = request_.options_;
        limits.steps_max(steps_max_from(is_resume ? before->at->steps : 0)).at_limit(step_limit_action::fail);
        made.input(std::move(input)).options(std::move(limits));
        made.stop(request_.stop_).pause(pause_.get_token());
        if (request_.watcher_) made.on_event(request_.watcher_);
        return made;
    }

    [[nodiscard]] state_result to_result(run_result&& ended)
    {
        state_result result;
        result.thread_id = request_.thread_;
        for (const std::string_view node : ended.path()) result.path.emplace_back(node);
        thread_record kept;
        auto at = ended.paused_at ? std::make_shared<frontier>(*ended.paused_at)
                                  : std::make_shared<frontier>(ended.state);
        if (ended.status == run_status::paused && !ended.resume_from.empty())
            mark(*at, std::string{ended.resume_from.front()});
        if (ended.ok()) mark(*at, std::string{weft::end});
        ended.state = at->root->root();
        kept.at = std::move(at);
        if (ended.status == run_status::paused) tell_pause(result, ended);
        if (ended.status == run_status::failed) {
            result.status = thread_status::error;
            kept.error = ended.why->message;
        }
        kept.status = result.status;
        kept.interrupted_node = result.interrupted_node;
        if (threads_ && ended.status != run_status::cancelled) threads_->save(request_.thread_, std::move(kept));
        throw_if_failed(ended);
        result.state = std::move(ended.state);
        return result;
    }

private:
    /** The engine counts the steps of a run, its resumes included; here each invocation has a limit of its own. */
    [[nodiscard]] std::uint32_t steps_max_from(std::uint32_t steps_before)
    {
        constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
        std::uint32_t steps_max = most - steps_before < request_.limit_ ? most : steps_before + request_.limit_;
        is_run_limit_ = request_.run_limit_ != 0 && request_.run_limit_ < steps_max;
        if (is_run_limit_) steps_max = request_.run_limit_;
        return steps_max;
    }

    /** Says in the state where the thread stands now. */
    static void mark(frontier& at, std::string node)
    {
        const std::uint32_t slot = at.root->layout().find(execution_meta_key.name());
        at.root->root().writable(slot) = make_box<execution_meta>(execution_meta{std::move(node)});
    }

    /** Here, or in a graph within a node. */
    static bool has_paused_before(const frontier& at)
    {
        for (const run_branch& t : at.branches)
            if (t.has_paused) return true;
        if (at.extras)
            for (const auto& [node, inner] : at.extras->inner)
                if (has_paused_before(*inner)) return true;
        return false;
    }

    void tell_pause(state_result& result, const run_result& ended) const
    {
        if (pause_.stop_requested()) {
            result.status = thread_status::stopped;
            return;
        }
        const bool is_before = has_paused_before(*ended.paused_at);
        const bool is_inside = ended.paused_at->extras && !ended.paused_at->extras->inner.empty();
        result.status = is_before ? thread_status::interrupted_before : thread_status::interrupted_after;
        const std::string last = result.path.empty() ? std::string{} : result.path.back();
        result.interrupted_node = is_before || is_inside ? std::string{ended.resume_from.front()} : last;
        result.interrupt_reason = std::string{is_before ? "interrupt_before" : "interrupt_after"} + ": " +
                                  result.interrupted_node;
    }

    void throw_if_failed(const run_result& ended) const
    {
        const std::string* const target = ended.state.find(engine_detail::parent_target_key);
        if (ended.ok() && target && !target->empty())
            throw state_graph_error{"GRAPH_000", errc::unknown_node,
                                    "A command goes to '" + *target + "' in the parent graph, and there is none"};
        if (ended.status == run_status::cancelled) throw error{errc::cancelled, "thread '" + request_.thread_ + "'"};
        if (ended.status != run_status::failed) return;
        const failure& why = *ended.why;
        if (why.code == errc::steps_exceeded && !why.cause)
            throw state_graph_error{"RECURSION_000", errc::steps_exceeded,
                                    (is_run_limit_ ? "Run limit of " + std::to_string(request_.run_limit_)
                                                   : "Recursion limit of " + std::to_string(request_.limit_)) +
                                        " reached without END. Raise " +
                                        (is_run_limit_ ? "run_limit" : "recursion_limit") +
                                        " if the graph needs more steps"};
        if (why.code == errc::condition_failed && why.cause) std::rethrow_exception(why.cause);
        throw state_graph_error{"NODE_001", why.code, why.message};
    }

    state_request request_;
    std::shared_ptr<state_threads> threads_;
    std::stop_source pause_;
    bool is_run_limit_ = false;  // it is the narrower one of the two
};

task<state_result> engine_detail::run_thread(compiled_state_graph graph, state_request request)
{
    serial_loop& loop = co_await this_task::loop();
    state_run running{std::move(request), graph, loop.random()};
    const engine with{graph.graph()};
    run_request made = running.to_request();
    run_result ended = co_await with.run(std::move(made));
    co_return running.to_result(std::move(ended));
}

}  // namespace weft
