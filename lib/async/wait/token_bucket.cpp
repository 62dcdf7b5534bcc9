#include <weft/async/sleep.hpp>
#include <weft/async/wait/token_bucket.hpp>
#include <weft/base/error.hpp>

#include <boost/assert.hpp>

#include <string>

namespace weft {

namespace {

std::string text_of(double number)
{
    std::string text = std::to_string(number);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
}

}  // namespace

token_bucket::token_bucket(serial_loop& loop, token_rate rate)
    : loop_{loop}, level_{rate, loop.now()},
      timer_{loop, [](void* self) { static_cast<token_bucket*>(self)->serve(); }, this}
{
    BOOST_ASSERT_MSG(rate.per_second > 0 && rate.burst > 0, "a token bucket fills and holds something");
}

bool token_bucket::try_take(double tokens) noexcept
{
    if (!waiting_.empty() || tokens > level_.rate().burst) return false;
    const time_point now = loop_.now();
    if (level_.ready_at(tokens) > now) return false;
    level_.take(tokens, now);
    return true;
}

void token_bucket::serve()
{
    const time_point now = loop_.now();
    while (!waiting_.empty()) {
        auto& first = static_cast<taking&>(waiting_.front());
        if (level_.ready_at(first.tokens_) > now) break;
        level_.take(first.tokens_, now);
        first.grant();
    }
    wait_for_first();
}

void token_bucket::wait_for_first()
{
    if (waiting_.empty())
        timer_.disarm();
    else
        timer_.arm_at(level_.ready_at(static_cast<taking&>(waiting_.front()).tokens_));
}

token_bucket::taking::~taking()
{
    if (!is_waiting()) return;
    leave_line();
    owner_.wait_for_first();
}

bool token_bucket::taking::start(const task_context& context, std::coroutine_handle<> self)
{
    if (tokens_ > owner_.level_.rate().burst)
        throw error{errc::limit_reached, "token_bucket",
                    text_of(tokens_) + " tokens at once, the bucket holds " + text_of(owner_.level_.rate().burst)};
    if (context.scope->stop_requested()) return refuse(context, self);
    if (owner_.try_take(tokens_)) {
        end_at_once(outcome::granted);
        return false;
    }
    wait_in(owner_.waiting_, context, self);
    owner_.wait_for_first();
    return true;
}

void token_bucket::taking::await_resume() const
{
    if (ended_by() != outcome::granted) async_detail::throw_cancelled();
}

}  // namespace weft
