#include <weft/agent/chat_agent/speech_manager.hpp>

#include <weft/async/loop/loop_timer.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace weft {

struct speech_manager::buffered_thread {
    struct waiting_record {
        std::string name;
        speech_record record;
    };

    buffered_thread(speech_manager& owner, std::string name)
        : owner{owner}, name{std::move(name)},
          timer{owner.loop_,
                [](void* self) {
                    auto& own = *static_cast<buffered_thread*>(self);
                    own.owner.look(own);
                },
                this}
    {
    }
    [[nodiscard]] bool is_over() const noexcept
    {
        return buffer.is_empty() && ready.empty() && !question && !is_judging && !is_delivering;
    }

    speech_manager& owner;
    std::string name;
    speech_buffer buffer;
    loop_timer timer;
    std::deque<waiting_record> ready;
    std::optional<std::string> question;  // the text of the newest pause that is not judged
    bool is_judging = false;              // queued or at work
    bool is_delivering = false;
};

speech_manager::speech_manager(serial_loop& loop, speech_manager_options options)
    : loop_{loop}, options_{std::move(options)}
{
    if (!options_.deliver && !options_.records)
        throw error{errc::invalid_configuration, "speech_manager", "it has neither deliver nor records: give it one"};
    options_.jobs_max = std::max(options_.jobs_max, std::size_t{1});
}

speech_manager::~speech_manager() = default;

speech_buffer::moment speech_manager::now() const noexcept
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(loop_.now().time_since_epoch());
}

speech_manager::buffered_thread& speech_manager::thread_called(const std::string& name)
{
    const auto found = threads_.find(name);
    if (found != threads_.end()) return *found->second;
    if (threads_.size() >= options_.threads_max)
        throw error{errc::limit_reached, "speech of thread '" + name + "'",
                    std::to_string(options_.threads_max) + " threads speak already"};
    return *threads_.emplace(name, std::make_unique<buffered_thread>(*this, name)).first->second;
}

speech_decision speech_manager::add(const std::string& thread, std::string_view piece, bool is_last)
{
    if (is_closed_) throw error{errc::cancelled, "speech of thread '" + thread + "'", "the manager is closed"};
    buffered_thread& own = thread_called(thread);
    if (own.ready.size() >= options_.waiting_max)
        throw error{errc::limit_reached, "speech of thread '" + thread + "'",
                    std::to_string(own.ready.size()) + " texts wait: is serve() running, and deliver fast enough?"};
    speech_decision done = act_on(own, own.buffer.add(piece, now(), options_.limits, is_last));
    if (own.is_over()) threads_.erase(thread);  // the piece was blank
    return done;
}

bool speech_manager::flush(std::string_view thread)
{
    const auto found = threads_.find(thread);
    return found != threads_.end() && act_on(*found->second, found->second->buffer.flush()).is_ready();
}

speech_status speech_manager::status(std::string_view thread) const
{
    speech_status status;
    const auto found = threads_.find(thread);
    if (found == threads_.end()) return status;
    const buffered_thread& of = *found->second;
    status.exists = true;
    status.content = of.buffer.content;
    status.age = of.buffer.age(now());
    status.waiting = of.ready.size();
    const bool is_quiet = now() - std::chrono::milliseconds{of.buffer.last} >= options_.limits.pause;
    if (!of.buffer.is_empty()) status.state = is_quiet ? speech_state::paused : speech_state::speaking;
    return status;
}

void speech_manager::look(buffered_thread& of) { (void)act_on(of, of.buffer.look(now(), options_.limits)); }

void speech_manager::arm(buffered_thread& of)
{
    if (of.timer.is_armed()) of.timer.disarm();
    const auto next = of.buffer.next_look(options_.limits);
    // At least a tick on: a look that is not yet due must not come again in the same moment.
    if (next) of.timer.arm_after(std::max(*next - now(), std::chrono::milliseconds{1}));
}

speech_decision speech_manager::act_on(buffered_thread& of, speech_decision decision)
{
    if (decision.reason == speech_reason::pause && options_.judge) {
        of.question = decision.content;
        want(of, job::judge);
    } else if (decision.reason == speech_reason::pause) {
        decision = of.buffer.judge(decision.content, complete_thought_in(decision.content));
    }
    arm(of);
    if (!decision.is_ready()) return decision;
    speech_record record;
    record.thread = of.name;
    record.content = decision.content;
    record.reason = decision.reason;
    const auto wall = loop_.clock().system_now().time_since_epoch();
    record.timestamp = std::chrono::duration_cast<std::chrono::milliseconds>(wall).count();
    std::string name = speech_records::name_of(record, loop_.random().next());
    of.ready.push_back({std::move(name), std::move(record)});
    want(of, job::deliver);
    return decision;
}

void speech_manager::want(buffered_thread& of, job what)
{
    bool& is_under_way = what == job::judge ? of.is_judging : of.is_delivering;
    if (!is_under_way) line_.emplace_back(&of, what);
    is_under_way = true;
    news_.notify();
}

void speech_manager::close()
{
    is_closed_ = true;
    for (const auto& [name, of] : threads_) {
        of->question.reset();
        (void)act_on(*of, of->buffer.flush());
    }
    news_.notify();
}

task<void> speech_manager::serve()
{
    const task_context& context = co_await this_task::context();
    scope jobs{context, failure_policy::keep_going};
    while (!context.scope->stop_requested()) {
        start_jobs(jobs);
        if (is_closed_ && line_.empty() && jobs.running() == 0) break;
        try {
            co_await news_.wait();
        } catch (const error&) {
            break;  // a stop; the jobs have got it as well
        }
    }
    co_await jobs.join();
    if (context.scope->stop_requested()) throw error{errc::cancelled, "speech manager", "it was stopped"};
}

void speech_manager::start_jobs(scope& jobs)
{
    while (!line_.empty() && jobs.running() < options_.jobs_max) {
        const auto [of, what] = line_.front();
        line_.pop_front();
        jobs.spawn(what == job::judge ? judge_all(*this, *of) : deliver_all(*this, *of));
    }
}

/** A job has ended. Records that a stop has left are work for the next `serve`. */
void speech_manager::retire(buffered_thread& of, job what)
{
    (what == job::judge ? of.is_judging : of.is_delivering) = false;
    if (what == job::deliver && !of.ready.empty()) want(of, what);
    if (of.is_over()) threads_.erase(threads_.find(of.name));
    news_.notify();
}

void speech_manager::note_failure(const std::exception_ptr& cause)
{
    ++counts_.failed;
    counts_.last_failure = text_of(cause);
}

std::optional<std::string> speech_manager::next_question(buffered_thread& of) const
{
    return std::exchange(of.question, std::nullopt);
}

task<void> speech_manager::judge_all(speech_manager& self, buffered_thread& of)
{
    std::exception_ptr stopped;
    try {
        while (std::optional<std::string> text = self.next_question(of)) co_await judge(self, of, std::move(*text));
    } catch (...) {
        stopped = std::current_exception();
    }
    self.retire(of, job::judge);
    if (stopped) std::rethrow_exception(stopped);
}

task<void> speech_manager::judge(speech_manager& self, buffered_thread& of, std::string text)
{
    const task_context& context = co_await this_task::context();
    speech_reason verdict = speech_reason::waiting;
    std::exception_ptr failed;
    try {
        task<bool> asking = with_deadline(self.options_.judge(text), self.options_.judge_timeout);
        const bool is_complete = co_await std::move(asking);
        if (is_complete) verdict = speech_reason::complete_thought;
    } catch (...) {
        failed = std::current_exception();
    }
    ++self.counts_.judged;
    if (failed && context.scope->stop_requested()) std::rethrow_exception(failed);
    if (failed) {
        self.note_failure(failed);
        verdict = complete_thought_in(text);
    }
    // The buffer compares the text: more may have been said while the judge thought.
    (void)self.act_on(of, of.buffer.judge(text, verdict));
}

task<void> speech_manager::deliver_all(speech_manager& self, buffered_thread& of)
{
    std::exception_ptr stopped;
    try {
        while (!of.ready.empty()) {
            const buffered_thread::waiting_record& first = of.ready.front();
            co_await deliver(self, first.name, first.record);
            of.ready.pop_front();
            ++self.counts_.delivered;
        }
    } catch (...) {
        stopped = std::current_exception();
    }
    self.retire(of, job::deliver);
    if (stopped) std::rethrow_exception(stopped);
}

/** Writes a record down, if there is a place for it. @return False if it lies nowhere. */
task<bool> speech_manager::write(speech_manager& self, std::string name, speech_record record)
{
    if (!self.options_.records) co_return false;
    const task_context& context = co_await this_task::context();
    const retry_policy& retries = self.options_.store_retries;
    for (int attempt = 1;; ++attempt) {
        std::exception_ptr failed;
        try {
            co_await self.options_.records->put(name, record);
        } catch (...) {
            failed = std::current_exception();
        }
        if (!failed) co_return true;
        if (context.scope->stop_requested()) std::rethrow_exception(failed);
        self.note_failure(failed);
        if (!retries.retries_after(attempt, code_of(failed))) co_return false;
        co_await sleep_for(retries.delay_before(attempt + 1, self.loop_.random().uniform()));
    }
}

task<void> speech_manager::deliver(speech_manager& self, std::string name, speech_record record)
{
    const task_context& context = co_await this_task::context();
    const std::string thread = record.thread;
    const bool is_kept = co_await write(self, name, record);
    if (!self.options_.deliver) co_return;
    std::exception_ptr failed;
    try {
        co_await self.options_.deliver(std::move(record));
        // Erased behind the delivery: a crash in between delivers twice, and never not at all.
        if (is_kept) (void)co_await self.options_.records->erase(thread, name);
    } catch (...) {
        failed = std::current_exception();
    }
    if (failed && context.scope->stop_requested()) std::rethrow_exception(failed);
    if (failed) self.note_failure(failed);
}

}  // namespace weft
