#include <weft/model/decorator/hedged_model.hpp>

#include <weft/async/loop/loop_timer.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/task/child_group.hpp>

#include "call_outcome.hpp"
#include "passing_sink.hpp"

#include <boost/assert.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace weft {

/** One of the two calls: a stop scope of its own, and a sink that lets pass what the first to speak says. */
struct hedged_model::contender final : async_detail::child_group, model_detail::passing_sink {
    contender(const task_context& parent, chat_sink& target, race& owner) noexcept
        : child_group{parent}, passing_sink{target}, owner{owner}
    {
    }

    void begin(task<chat_reply> work, time_point now);
    [[nodiscard]] bool has_begun() const noexcept { return call.has_value(); }
    [[nodiscard]] bool has_reply() const noexcept { return call && call->is_started() && !call->error(); }
    [[nodiscard]] std::exception_ptr failure() const noexcept
    {
        return call && call->is_started() ? call->error() : nullptr;
    }

    bool may_pass(std::string_view piece) override;
    void on_usage(const usage& so_far) override;
    [[nodiscard]] bool is_full() const noexcept override;

    race& owner;
    time_point began{};
    std::optional<async_detail::branch<chat_reply>> call;
};

/** One hedged call. In the frame of its coroutine. */
class hedged_model::race {
public:
    race(hedged_model& model, const task_context& context, chat_request request, chat_sink& sink)
        : first{context, sink, *this}, second{context, sink, *this}, model_{model}, loop_{*context.loop},
          request_{std::move(request)}, timer_{loop_, [](void* self) { static_cast<race*>(self)->hedge(); }, this}
    {
    }

    void start()
    {
        const auto delay = model_.begin_call();
        first.begin(model_.model_->reply(request_, first), loop_.now());
        if (delay && !winner_ && first.running() > 0) timer_.arm_after(*delay);
    }

    /** A call speaks. @return Whether it is the first to do so, now or before. */
    bool claim(contender& speaker)
    {
        if (!winner_) win(speaker);
        return winner_ == &speaker;
    }
    [[nodiscard]] bool is_winner(const contender& one) const noexcept { return winner_ == &one; }

    void ended(contender& one)
    {
        if (!winner_ && one.has_reply()) win(one);
        if (&one == &first) timer_.disarm();
    }

    chat_reply take_reply();

    contender first;
    contender second;

private:
    void hedge();
    void win(contender& speaker);

    hedged_model& model_;
    serial_loop& loop_;
    chat_request request_;
    loop_timer timer_;
    contender* winner_ = nullptr;
};

void hedged_model::contender::begin(task<chat_reply> work, time_point now)
{
    began = now;
    call.emplace(std::move(work));
    call->start(*this, [](async_detail::branch<chat_reply>& ended) {
        auto& self = static_cast<contender&>(ended.group());
        self.owner.ended(self);
    });
}

bool hedged_model::contender::may_pass(std::string_view) { return owner.claim(*this); }

void hedged_model::contender::on_usage(const usage& so_far)
{
    if (owner.is_winner(*this)) passing_sink::on_usage(so_far);
}

bool hedged_model::contender::is_full() const noexcept
{
    return owner.is_winner(*this) && passing_sink::is_full();
}

void hedged_model::race::win(contender& speaker)
{
    winner_ = &speaker;
    timer_.disarm();
    const time_point now = loop_.now();
    model_.observe(now - speaker.began);
    if (&speaker == &first) return second.request_stop();
    // It took at least so long: enough to count among the slow ones.
    model_.observe(now - first.began);
    first.request_stop();
}

void hedged_model::race::hedge()
{
    if (winner_ || second.stop_requested() || !model_.may_hedge()) return;
    chat_request again = request_;
    if (!again.call_id.empty()) again.call_id += "-hedge";
    const std::shared_ptr<chat_model>& where = model_.options_.second ? model_.options_.second : model_.model_;
    second.begin(where->reply(std::move(again), second), loop_.now());
}

/** The reply of the winner, with what the other call cost. */
chat_reply hedged_model::race::take_reply()
{
    if (!winner_) {
        if (first.failure()) std::rethrow_exception(first.failure());
        if (second.failure()) std::rethrow_exception(second.failure());
        async_detail::throw_cancelled();
    }
    contender& loser = winner_ == &first ? second : first;
    if (winner_->failure()) std::rethrow_exception(winner_->failure());
    if (winner_ == &second) {
        const std::lock_guard guard{model_.lock_};
        ++model_.counts_.won;
    }
    chat_reply reply = winner_->call->take();
    winner_->finish();
    if (!loser.has_begun()) return reply;
    reply.attempts += 1;
    if (loser.has_reply())
        model_detail::add_spent(reply, loser.call->take().usage);
    else if (loser.failure())
        model_detail::add_spent(reply, model_detail::spent_by(model_detail::failure_of(loser.failure())));
    return reply;
}

hedged_model::hedged_model(std::shared_ptr<chat_model> model, hedged_model_options options)
    : model_{std::move(model)}, options_{std::move(options)}, budget_{options_.budget},
      latencies_{options_.observations_max}
{
    BOOST_ASSERT_MSG(model_, "a hedged model needs a model to call");
}

hedge_counts hedged_model::counts() const
{
    const std::lock_guard guard{lock_};
    return counts_;
}

/** Counts a call. @return After what time to hedge it, if at all. */
std::optional<std::chrono::nanoseconds> hedged_model::begin_call()
{
    budget_.on_call();
    const std::lock_guard guard{lock_};
    ++counts_.calls;
    const bool is_known = latencies_.size() >= std::max<std::size_t>(options_.observations_min, 1);
    const auto delay = is_known ? latencies_.quantile(options_.percentile) : options_.delay_at_first;
    if (!delay) return std::nullopt;
    return std::max(*delay, options_.delay_min);
}

bool hedged_model::may_hedge()
{
    if (!budget_.try_take()) return false;
    const std::lock_guard guard{lock_};
    ++counts_.hedges;
    return true;
}

void hedged_model::observe(std::chrono::nanoseconds to_first_token)
{
    const std::lock_guard guard{lock_};
    latencies_.add(to_first_token);
}

task<chat_reply> hedged_model::do_reply(chat_request request, chat_sink& sink)
{
    const task_context& context = co_await this_task::context();
    model_detail::name_call(request, *context.loop);
    race calls{*this, context, std::move(request), sink};
    calls.start();
    // A stop reaches both through their groups.
    co_await calls.first.wait();
    co_await calls.second.wait();
    co_return calls.take_reply();
}

}  // namespace weft
