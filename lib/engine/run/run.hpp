#pragma once

#include "engine/visit/effect_rules.hpp"
#include "engine/visit/open_questions.hpp"
#include "engine/scheduler/scheduler.hpp"
#include "node_run.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/engine/run/event_stream.hpp>
#include <weft/engine/run/route_decider.hpp>
#include <weft/engine/run_request.hpp>
#include <weft/engine/run_result.hpp>
#include <weft/graph/node/subgraph.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

namespace weft {

struct effect_entry;
class written_mapping;

/** The driver of one run: performs the scheduler's actions and reports what happened back. It decides nothing.
 *
 *  @par Thread safety   None: on its loop only.
 *  @par Lifetimes       Counted; keeps itself while it runs.
 */
class run final : public ref_counted<run>, public node_host {
public:
    using done_function = void (*)(void* waiter, run_result&& result);

    run(graph of, serial_loop& loop, run_request&& request);
    ~run();

    static void* operator new(std::size_t size) { return allocate_block(size); }
    static void operator delete(void* memory, std::size_t size) noexcept { free_block(memory, size); }

    /** Begins. `done` is called once, possibly inside this call; never after `abandon`. */
    void begin(done_function done, void* waiter);
    /** Begins soon, so that the caller may subscribe first. */
    void begin_later(done_function done, void* waiter);
    /** Nobody waits any more: destroys what runs, at once. */
    void abandon();

    void pause();
    /** What the run does counts no more: it fails with `cause` at once and nothing of it is kept. */
    void lose(failure_ptr cause);
    void cancel(std::optional<std::chrono::nanoseconds> grace = std::nullopt);
    [[nodiscard]] event_stream subscribe(slow_subscriber rule = slow_subscriber::drop_oldest);
    [[nodiscard]] serial_loop& loop() const noexcept { return loop_; }

    /** It is awaited in `around`, whose stop is the run's; it outlives the run's nodes. */
    void lie_in(const stop_scope& around) noexcept { around_ = &around; }
    /** Another OS thread sets `asked` before it cancels the run on its loop. It outlives the run's nodes. */
    void hear_of_cancel(const std::atomic<bool>& asked) noexcept { cancel_asked_ = &asked; }

    // From node_run.
    /** Whether a node is to stop that has time until `timeout_at`, also if the loop has not come to it yet. */
    [[nodiscard]] bool is_stop_due(token_index token, time_point timeout_at) const noexcept
    {
        return due_stop(token, timeout_at) != stop_cause::none;
    }
    [[nodiscard]] std::chrono::nanoseconds limit_of(token_index token) const noexcept;
    void node_ended(node_run& ended);
    void node_timed_out(node_run& late);
    void node_did_not_stop(node_run& stuck);
    void note_inner_places();
    /** A node has held the loop for so long. */
    void note_step(const node_context& node, std::chrono::nanoseconds held);

    // From run_saving.
    void save_reported(failure_ptr cause);
    [[nodiscard]] task<void> keep_inner(token_index token, std::shared_ptr<const frontier> where, checkpoint_kind kind,
                                        std::string node);

    // From node_context.
    void emit(const node_context& from, std::string_view kind, std::string_view text) override;
    std::string_view thread() const noexcept override { return request_.thread(); }
    std::shared_ptr<budget_ledger> budget() const noexcept override;
    std::string purpose() const override;
    std::shared_ptr<const item_space> memory(const node_context& from) const override;
    run_remaining remaining() const override;
    std::size_t cancel_branches(const node_context& from, const branch_choice& which) override;
    task<command> run_inside(node_context& node, const subgraph& what) override;
    task<boost::json::value> interrupt(node_context& node, question asked) override;
    bool keeps_effects() const noexcept override;
    task<boost::json::value> once(node_context& node, std::string name, const effect_options& options,
                                  effect_call& call) override;
    effect_context name_effect(node_context& node, std::string_view name) override;

    // From durable_engine, of the outermost run.
    /** A question was answered elsewhere: the journal has the answer. One that nobody waits for is let be. */
    void learn_answer(const std::string& address, boost::json::value value);
    /** Whether all that is left of it waits for answers. */
    [[nodiscard]] bool is_parked() const noexcept { return scheduler_.is_parked(); }

    // From run_handle, of the outermost run.
    [[nodiscard]] const std::vector<open_question>& questions();
    [[nodiscard]] task<answer_state> answer(std::string address, boost::json::value value);

private:
    enum class timer_use : std::uint8_t { retry, branch };
    enum class stop_cause : std::uint8_t { none, cancelled, run_timeout, branch_timeout, node_timeout };
    struct token_timer;
    struct rare_part;
    class parked_question;
    class work_under_way;
    /** An effect, and where its newest try is written down. */
    struct effect_place {
        std::string effect;
        std::string address;
    };
    struct watch_part {
        explicit watch_part(serial_loop& loop) noexcept : loop{loop} { loop.measure_steps(true); }
        ~watch_part() { loop.measure_steps(false); }
        watch_part(const watch_part&) = delete;
        watch_part& operator=(const watch_part&) = delete;

        serial_loop& loop;
        std::vector<std::weak_ptr<event_stream::queue>> subscribers;
        std::uint64_t sequence = 0;
        bool may_hold = false;  // a subscriber may make the run wait
    };

    [[nodiscard]] frontier first_frontier();
    void begin_now();
    void watch_outside();
    [[nodiscard]] bool is_cancel_due() const noexcept;
    [[nodiscard]] stop_cause due_stop(token_index token, time_point timeout_at) const noexcept;
    [[nodiscard]] token_timer* late_branch(token_index token, time_point now) const noexcept;
    void carry_out(stop_cause cause, token_index token);
    void run_out_of_time();
    void open_ledger();
    void open_questions();
    void note_spent();
    [[nodiscard]] rare_part& rare();
    void pump();
    void perform(const action& next);
    void start_node(token_index token);
    void note_progress(token_index token);
    void run_plain(token_index token, const graph_node& node);
    void report(token_index token, node_context& context, command&& answer);
    void report_nothing(token_index token, node_context& context);
    void report_failure(token_index token, node_context& context, failure_ptr cause, bool may_retry);
    void report_exception(token_index token, node_context& context, const std::exception_ptr& cause, bool may_retry);
    void report_end(node_run& ended);
    void report_stopped(token_index token, node_context& context);
    [[nodiscard]] bool saw_stop_in_plain(token_index token, node_context& context);
    void report_items(token_index token, node_context& context, command&& answer);
    [[nodiscard]] failure_ptr check_outputs(const node_context& context, const graph_node& node) const;
    [[nodiscard]] sent_items resolve_items(command& answer) const;
    void choose_edge(token_index token);
    [[nodiscard]] failure_ptr answer_condition(edge_choice& choice, const token& t, const state_view& view,
                                               const written_mapping& output);
    void tell_condition_error(const graph_edge& edge, node_index source, const std::string& error);
    [[nodiscard]] failure_ptr condition_failure(const graph_edge& edge, const token& t, errc code,
                                                std::string detail) const;
    void decide(token_index token);
    [[nodiscard]] task<command> ask_decider(token_index token);
    void report_decision(node_run& ended);
    [[nodiscard]] route_question question_at(token_index token);
    void give_past(node_context& context, const token& t)
    {
        if (t.previous || t.branches || t.visit > 1) give_what_was(context, t);
    }
    void give_what_was(node_context& context, const token& t);
    [[nodiscard]] node_context::visit_info visit_of(const token& t, const graph_node& node) const noexcept;
    [[nodiscard]] token_index token_of(const node_context& context) const noexcept;
    [[nodiscard]] run_request inner_request(const node_context& node, const subgraph& what, token_index token);
    [[nodiscard]] command write_back(node_context& node, const subgraph& what, const state& left) const;
    [[nodiscard]] node_run& work_of(const node_context& context);
    [[nodiscard]] run& outermost() noexcept;
    [[nodiscard]] weft::open_questions& desk();
    [[nodiscard]] visit_places& places_of(node_run& work);
    void lie_within(run& outer, token_index token);
    void update_parking(node_run& work);
    void tell_outer(bool is_parked);
    void drop_node(token_index token);
    void end_parking(node_run& work);
    [[nodiscard]] std::string visit_to_settle(token_index token) const;
    void settle_visit(const std::string& visit);
    void tell_question(run_event::kind what, node_run& work, const std::string& address, std::string text = {});
    void hand_over(const std::string& address, const boost::json::value& value);
    [[nodiscard]] static task<std::optional<boost::json::value>>
    ask_journal(run& all, const std::string& address, const question& asked, wall_time& asked_at);
    [[nodiscard]] static task<boost::json::value> ask_at(run& self, node_run& work, std::string address,
                                                         question asked);
    [[nodiscard]] static task<std::optional<boost::json::value>>
    ask_about_effect(run& self, node_run& work, effect_place place, question asked,
                     boost::json::object outcome_schema);
    [[nodiscard]] static task<std::optional<boost::json::value>>
    settle_doubt(run& self, node_run& work, effect_journal& journal, const effect_entry& entry, effect_step step,
                 const effect_options& options, const effect_call& call);
    void arm(token_index token, timer_use use, std::chrono::nanoseconds delay);
    void disarm(token_index token, timer_use use);
    [[nodiscard]] std::unique_ptr<token_timer> take_timer(const token_timer& timer);
    void open_saving();
    void save(const action& next);
    void note_inner_end(token_index token, run& inner, const run_result& result);
    [[nodiscard]] std::shared_ptr<const frontier> take_paused_inner(token_index token);
    [[nodiscard]] std::chrono::nanoseconds elapsed_before() const noexcept;
    void note_elapsed();
    void finish();
    [[nodiscard]] run_result make_result();
    [[nodiscard]] failure_ptr make_failure(const node_context& context, errc code, std::string detail,
                                           std::exception_ptr cause = nullptr) const;
    [[nodiscard]] std::chrono::nanoseconds stop_grace() const;
    [[nodiscard]] std::chrono::nanoseconds timeout_of(const graph_node& node) const;
    [[nodiscard]] const run_identity& identity(time_point now);
    [[nodiscard]] bool is_watched() const noexcept { return watch_ != nullptr; }
    void tell(run_event event);
    void tell_node(run_event::kind what, const node_context& context, token_index token, std::string text = {});
    void tell_notice(const action& notice);
    [[nodiscard]] bool is_held_up() const;
    static void hear_room(void* self);

    graph graph_;
    serial_loop& loop_;
    run_request request_;
    std::unique_ptr<rare_part> rare_;  // mostly null
    scheduler scheduler_;
    time_point started_;
    const stop_scope* around_ = nullptr;
    const std::atomic<bool>* cancel_asked_ = nullptr;
    run_identity identity_;
    done_function done_ = nullptr;
    void* waiter_ = nullptr;
    struct plain_stage;
    plain_stage* plain_nodes_ = nullptr;  // while pumping
    small_vector<node_run*, 1> at_work_;  // by token; null where no coroutine runs
    std::unique_ptr<watch_part> watch_;
    struct pump_item : ready_item {
        explicit pump_item(run* owner) noexcept;
        run* owner;
    } pump_later_{this};
    bool has_idle_limits_ = false;  // of nodes that were started
    bool has_begun_ = false;
    bool is_pumping_ = false;
    bool is_waiting_ = false;  // counted as work of the loop
};

}  // namespace weft
