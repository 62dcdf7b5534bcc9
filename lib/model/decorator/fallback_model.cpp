#include <weft/model/decorator/fallback_model.hpp>

#include <weft/async/loop/serial_loop.hpp>

#include "call_outcome.hpp"
#include "passing_sink.hpp"

#include <boost/assert.hpp>

#include <algorithm>
#include <utility>

namespace weft {

// Not unnamed: the frame of a coroutine has them as fields.
namespace model_detail {

/** A call through a circuit breaker, if there is one; a call that ends without a result counts for nothing. */
class guarded_entry {
public:
    guarded_entry(circuit_breaker* breaker, time_point now) : breaker_{breaker}
    {
        if (breaker_) ticket_ = breaker_->try_enter(now);
    }
    guarded_entry(const guarded_entry&) = delete;
    guarded_entry& operator=(const guarded_entry&) = delete;
    ~guarded_entry()
    {
        if (ticket_) breaker_->abandon(*ticket_);
    }

    [[nodiscard]] bool is_open() const noexcept { return !breaker_ || ticket_.has_value(); }

    void on_reply()
    {
        if (ticket_) breaker_->on_success(*ticket_);
        ticket_.reset();
    }
    void on_failure(const model_failure& failure, time_point now)
    {
        if (!ticket_ || failure.code == errc::cancelled || failure.code == errc::model_rate_limited) return;
        if (failure.is_transient)
            breaker_->on_failure(*ticket_, now);
        else
            breaker_->on_success(*ticket_);  // it answers
        ticket_.reset();
    }

private:
    circuit_breaker* breaker_;
    std::optional<circuit_breaker::ticket> ticket_;
};

/** What has failed so far. */
class failures_so_far {
public:
    void add(std::string where, model_failure failure)
    {
        spent_ += spent_by(failure);
        waited_ += failure.partial.waited;
        if (failure.retry_after && failure.is_transient)
            shortest_wait_ = std::min(shortest_wait_.value_or(*failure.retry_after), *failure.retry_after);
        all_.push_back({std::move(where), std::move(failure)});
    }
    void count_call(const chat_reply& reply) noexcept { calls_ += reply.attempts; }

    [[nodiscard]] const usage& spent() const noexcept { return spent_; }

    [[nodiscard]] chat_reply completed(chat_reply reply) const
    {
        add_spent(reply, spent_);
        reply.attempts += calls_;
        reply.waited += waited_;
        return reply;
    }

    /** @param cause   Of the last one; null if that one was passed over. */
    [[noreturn]] void give_up(const std::exception_ptr& cause, const std::string& label)
    {
        if (all_.size() == 1 && cause) std::rethrow_exception(cause);
        std::string list;
        bool is_transient = false;
        for (const auto& [where, failure] : all_) {
            list.append(list.empty() ? "" : "; ").append(where).append(": ").append(describe(failure.code));
            if (!failure.detail.empty()) list.append(": ").append(failure.detail);
            is_transient |= failure.is_transient;
        }
        model_failure last = std::move(all_.back().second);
        last.detail = std::move(list);
        last.is_transient = is_transient;
        last.retry_after = shortest_wait_;
        last.partial.usage = spent_;
        last.partial.attempts = calls_;
        last.partial.waited = waited_;
        throw model_error{label, std::move(last)};
    }

private:
    std::vector<std::pair<std::string, model_failure>> all_;
    usage spent_;
    std::chrono::nanoseconds waited_{};
    int calls_ = 0;
    std::optional<std::chrono::milliseconds> shortest_wait_;
};

}  // namespace model_detail

namespace {

using model_detail::call_outcome;
using model_detail::failures_so_far;
using model_detail::guarded_entry;
using model_detail::passing_sink;

model_failure passed_over(time_point now, const circuit_breaker& breaker)
{
    model_failure failure;
    failure.code = errc::model_overloaded;
    failure.phase = model_phase::request;
    failure.is_transient = true;
    failure.detail = "passed over: it failed again and again, its circuit breaker is open";
    const auto wait = breaker.probes_at().value_or(now) - now;
    failure.retry_after = std::chrono::ceil<std::chrono::milliseconds>(std::max(wait, clock::duration{}));
    return failure;
}

chat_request request_for(const fallback_entry& entry, bool is_first, const chat_request& request)
{
    chat_request own = request;
    if (!is_first || !entry.model_name.empty()) own.model = entry.model_name;
    return own;
}

}  // namespace

bool is_reason_to_fall_back(const model_failure& failure) noexcept
{
    switch (failure.code) {
    case errc::model_unauthorized:
    case errc::model_not_found:
    case errc::model_quota_exhausted: return true;
    default: return failure.is_transient;
    }
}

fallback_model::fallback_model(std::vector<fallback_entry> entries, fallback_model_options options)
    : entries_{std::move(entries)}, options_{std::move(options)}
{
    BOOST_ASSERT_MSG(!entries_.empty(), "a fallback model needs a model to call");
    if (!options_.goes_on) options_.goes_on = is_reason_to_fall_back;
    for (const fallback_entry& entry : entries_)
        label_.append(label_.empty() ? "" : ", else ").append(entry.model->label());
}

task<chat_reply> fallback_model::do_reply(chat_request request, chat_sink& sink)
{
    const task_context& context = co_await this_task::context();
    serial_loop& loop = *context.loop;
    model_detail::name_call(request, loop);
    passing_sink passing{sink};
    failures_so_far failed;
    std::exception_ptr last;
    for (const fallback_entry& entry : entries_) {
        guarded_entry guarded{entry.breaker.get(), loop.now()};
        last = nullptr;
        if (!guarded.is_open()) {
            failed.add(std::string{entry.model->label()}, passed_over(loop.now(), *entry.breaker));
            continue;
        }
        passing.begin_again(failed.spent());
        chat_request own = request_for(entry, &entry == &entries_.front(), request);
        call_outcome outcome = co_await model_detail::try_call(entry.model, std::move(own), passing);
        if (outcome.reply) {
            guarded.on_reply();
            passing.finish();
            co_return failed.completed(*std::move(outcome.reply));
        }
        if (passing.has_thrown()) std::rethrow_exception(outcome.error);
        const model_failure failure = model_detail::failure_of(outcome.error);
        guarded.on_failure(failure, loop.now());
        last = outcome.error;
        failed.count_call(failure.partial);
        failed.add(std::string{entry.model->label()}, failure);
        const bool is_over = failure.code == errc::cancelled || context.scope->stop_requested() ||
                             (passing.has_passed() && !options_.restarts_after_tokens) || !options_.goes_on(failure);
        if (is_over) break;
        if (options_.on_fall_back && &entry != &entries_.back()) options_.on_fall_back(*entry.model, failure);
    }
    failed.give_up(last, label_);
}

}  // namespace weft
