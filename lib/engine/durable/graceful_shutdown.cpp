#include <weft/engine/durable/graceful_shutdown.hpp>

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

namespace weft {

namespace {

/** Is stopped with the first of two tokens, from any OS thread. */
class joined_token {
public:
    joined_token(const std::stop_token& one, const std::stop_token& other)
        : one_{one, passing_on{source_}}, other_{other, passing_on{source_}}
    {
    }
    joined_token(const joined_token&) = delete;
    joined_token& operator=(const joined_token&) = delete;

    [[nodiscard]] std::stop_token token() const noexcept { return source_.get_token(); }

private:
    struct passing_on {
        std::stop_source to;
        void operator()() noexcept { to.request_stop(); }
    };
    std::stop_source source_;
    std::stop_callback<passing_on> one_;
    std::stop_callback<passing_on> other_;
};

struct joined_tokens {
    std::unique_ptr<joined_token> pause;
    std::unique_ptr<joined_token> stop;
};

}  // namespace

bool shutdown_report::is_clean() const noexcept
{
    return stopped == 0 && left == 0 &&
           std::all_of(stages.begin(), stages.end(), [](const stage& one) { return one.how == outcome::ended; });
}

std::optional<graceful_shutdown::turn> graceful_shutdown::admit()
{
    if (has_begun()) return std::nullopt;
    return turn{*this};
}

run_request graceful_shutdown::guard(run_request request) const
{
    const std::stop_token own_pause = request.pause_token();
    const std::stop_token own_stop = request.stop_token();
    if (!own_pause.stop_possible() && !own_stop.stop_possible()) {
        request.pause(pause_token()).stop(stop_token());
        return request;
    }
    const auto both = std::make_shared<joined_tokens>(joined_tokens{
        std::make_unique<joined_token>(own_pause, pause_token()),
        std::make_unique<joined_token>(own_stop, stop_token())});
    request.pause(both->pause->token()).stop(both->stop->token()).keep(both);
    return request;
}

graceful_shutdown& graceful_shutdown::add(std::string name, std::function<task<void>()> work)
{
    stages_.push_back({std::move(name), std::move(work)});
    return *this;
}

void graceful_shutdown::end_turn()
{
    if (--running_ == 0) idle_.notify();
}

task<void> graceful_shutdown::wait_until_idle(graceful_shutdown* self)
{
    while (self->running_ > 0) co_await self->idle_.wait();
}

task<bool> graceful_shutdown::wait_for_turns(graceful_shutdown* self, std::chrono::nanoseconds limit)
{
    std::exception_ptr failed;
    try {
        task<void> waiting = wait_until_idle(self);
        co_await with_deadline(std::move(waiting), limit);
    } catch (const error&) {
        failed = std::current_exception();  // time is up, or the caller was stopped
    }
    co_return !failed;
}

task<shutdown_report::stage> graceful_shutdown::end_stage(graceful_shutdown* self, const stage* what)
{
    serial_loop& loop = co_await this_task::loop();
    const time_point began = loop.now();
    shutdown_report::stage result;
    result.name = what->name;
    try {
        task<void> work = what->work();
        co_await with_deadline(std::move(work), self->limits_.stage);
    } catch (const error& e) {
        result.how = e.code() == errc::timeout ? shutdown_report::outcome::timed_out : shutdown_report::outcome::failed;
        result.error = e.what();
    } catch (...) {
        result.how = shutdown_report::outcome::failed;
        result.error = text_of(std::current_exception());
    }
    result.elapsed = loop.now() - began;
    co_return result;
}

task<shutdown_report> graceful_shutdown::shut_down(graceful_shutdown* self)
{
    shutdown_report report;
    const std::size_t at_first = self->running_;
    self->pause_.request_stop();
    const bool has_paused = co_await wait_for_turns(self, self->limits_.turns);
    const std::size_t too_slow = self->running_;
    report.paused_or_ended = at_first - too_slow;
    if (!has_paused) {
        self->stop_.request_stop();
        static_cast<void>(co_await wait_for_turns(self, self->limits_.stop));
        report.left = self->running_;
        report.stopped = too_slow - report.left;
    }
    for (const stage& one : self->stages_) {
        report.stages.push_back(co_await end_stage(self, &one));
    }
    co_return report;
}

task<shutdown_report> graceful_shutdown::run() { return shut_down(this); }

}  // namespace weft
