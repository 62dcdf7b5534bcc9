#include <weft/model/decorator/rate_limiter.hpp>

#include <weft/async/async_start.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/async/wait/remote_signal.hpp>
#include <weft/base/error.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/model/decorator/rate_gate.hpp>

#include "call_outcome.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <utility>

namespace weft {

namespace {

constexpr double newest_share = 0.1;  // of a moving average
constexpr std::size_t keys_max = 4'096;
// A slice lasts no longer: an answer that comes later would be of no use.
constexpr std::chrono::nanoseconds claim_patience = rate_share::lasts;

void move_towards(double& average, double newest) noexcept { average += newest_share * (newest - average); }

std::string key_text(const rate_limit_key& key) { return key.provider + "/" + key.credential + "/" + key.model; }

}  // namespace

/** A call that waits. In the frame of its coroutine; all under the limiter's lock. */
class rate_limiter::place : public rate_place {
public:
    intrusive_ptr<remote_signal> signal;
    bool is_served = false;
};

/** One key. */
struct rate_limiter::key_state {
    key_state(const model_rate_limits& limits, time_point now, tokens output)
        : gate{limits, now}, output_average{static_cast<double>(output.count())}
    {
    }
    rate_gate gate;
    double input_ratio = 1;  // reported to estimated
    double output_average;
    std::size_t users = 0;   // places and permits
    // The waiting call whose coroutine has a timer for the next one; it need not be the next.
    place* sleeper = nullptr;
    time_point sleeper_wakes_at{};
};

/** A claim that is to be made. */
struct rate_limiter::claim_order {
    claim_order(key_state& of, std::shared_ptr<shared_rates> in, rate_claim claim)
        : key{&of}, rates{std::move(in)}, what{std::move(claim)}
    {
    }
    key_state* key;
    std::shared_ptr<shared_rates> rates;
    rate_claim what;
};

struct rate_limiter::shared_state {
    explicit shared_state(rate_limiter_options chosen) : options{std::move(chosen)} {}

    key_state& find(const rate_limit_key& key, time_point now);
    [[nodiscard]] double tokens_for(const key_state& key, const rate_request& request) const noexcept;
    void enter(place& own, key_state& key, const rate_request& request, time_point now);
    void leave(place& own, key_state& key, time_point now);
    std::optional<time_point> keep(place& own, key_state& key);
    void serve(key_state& key, time_point now);
    /** Nothing: none is due, or one is under way. */
    std::optional<claim_order> order_claim(const rate_limit_key& name, key_state& key, serial_loop& loop);

    const rate_limiter_options options;
    mutable std::mutex lock;
    std::shared_ptr<shared_rates> rates;  // null: limits are those of this process
    std::atomic<bool> is_shared{false};   // the same, asked without the lock
    std::string holder;                   // in these rates; made when it is needed
    std::map<rate_limit_key, key_state> keys;
};

rate_limiter::key_state& rate_limiter::shared_state::find(const rate_limit_key& key, time_point now)
{
    const auto known = keys.find(key);
    if (known != keys.end()) return known->second;
    if (keys.size() >= keys_max)
        std::erase_if(keys, [](const auto& one) { return one.second.users == 0; });
    const auto own = options.limits_of.find(key);
    const model_rate_limits& limits = own == options.limits_of.end() ? options.limits : own->second;
    key_state& made = keys.try_emplace(key, limits, now, options.output_expected).first->second;
    made.gate.share(rates != nullptr);
    return made;
}

std::optional<rate_limiter::claim_order> rate_limiter::shared_state::order_claim(const rate_limit_key& name,
                                                                                 key_state& key, serial_loop& loop)
{
    if (!rates) return std::nullopt;
    std::optional<rate_claim> claim = key.gate.begin_claim(loop.now());
    if (!claim) return std::nullopt;
    if (holder.empty()) holder = id_source{loop.clock(), loop.random()}.next().text();
    claim->rate = key_text(name);
    claim->holder = holder;
    ++key.users;
    return claim_order{key, rates, std::move(*claim)};
}

double rate_limiter::shared_state::tokens_for(const key_state& key, const rate_request& request) const noexcept
{
    const double output = std::min(key.output_average, static_cast<double>(request.output_max.count()));
    return static_cast<double>(request.input.count()) * key.input_ratio + output;
}

void rate_limiter::shared_state::enter(place& own, key_state& key, const rate_request& request, time_point now)
{
    if (key.gate.waiting() >= options.waiting_max)
        throw error{errc::limit_reached, key_text(request.key),
                    std::to_string(key.gate.waiting()) +
                        " calls wait for its rate limit already: start fewer at once, or raise waiting_max"};
    const auto weight = options.tenant_weights.find(request.tenant);
    own.tokens = tokens_for(key, request);
    own.signal = make_counted<remote_signal>();
    key.gate.enter(own, request.tenant, weight == options.tenant_weights.end() ? 1 : weight->second);
    ++key.users;
    serve(key, now);
}

/** The coroutine of this place is gone, and does not take the permit that it may have got. */
void rate_limiter::shared_state::leave(place& own, key_state& key, time_point now)
{
    --key.users;
    if (key.sleeper == &own) key.sleeper = nullptr;
    if (own.is_served) {
        key.gate.release();
        key.gate.correct(-1, -own.tokens, now);
    } else {
        key.gate.leave(own);
    }
    serve(key, now);
}

/** Says how long the coroutine of a place may sleep. */
std::optional<time_point> rate_limiter::shared_state::keep(place& own, key_state& key)
{
    if (!key.sleeper) key.sleeper = &own;
    if (key.sleeper != &own) return std::nullopt;
    const std::optional<time_point> next = key.gate.next_look();
    key.sleeper_wakes_at = next.value_or(time_point::max());
    return next;
}

/** Lets begin what may begin, and has a waiting coroutine wake up for what follows. */
void rate_limiter::shared_state::serve(key_state& key, time_point now)
{
    while (rate_place* const next = key.gate.serve(now)) {
        auto& served = static_cast<place&>(*next);
        served.is_served = true;
        if (key.sleeper == &served) key.sleeper = nullptr;
        served.signal->notify();
    }
    rate_place* const first = key.gate.first();
    if (!first) return;
    if (!key.sleeper) {
        key.sleeper = static_cast<place*>(first);
        key.sleeper_wakes_at = time_point::max();
    }
    const std::optional<time_point> next = key.gate.next_look();
    if (key.gate.needs_claim(now) || (next && *next < key.sleeper_wakes_at)) key.sleeper->signal->notify();
}

/** Keeps a place in the line as long as its coroutine waits. */
class rate_limiter::place_guard {
public:
    place_guard(shared_state& shared, const rate_request& request, serial_loop& loop)
        : shared_{shared}, loop_{loop}
    {
        const std::lock_guard guard{shared_.lock};
        key_ = &shared_.find(request.key, loop.now());
        shared_.enter(own_, *key_, request, loop.now());
    }
    place_guard(const place_guard&) = delete;
    place_guard& operator=(const place_guard&) = delete;
    ~place_guard()
    {
        if (is_taken_) return;
        const std::lock_guard guard{shared_.lock};
        shared_.leave(own_, *key_, loop_.now());
    }

    /** Takes the permit, if it is there. Else says in `wakes_at` when to look again without a signal. */
    [[nodiscard]] bool take(std::optional<time_point>& wakes_at)
    {
        const std::lock_guard guard{shared_.lock};
        shared_.serve(*key_, loop_.now());
        is_taken_ = own_.is_served;
        if (!is_taken_) wakes_at = shared_.keep(own_, *key_);
        return is_taken_;
    }
    /** What its coroutine claims now, for all that wait. */
    [[nodiscard]] std::optional<claim_order> order_claim(const rate_limit_key& name)
    {
        const std::lock_guard guard{shared_.lock};
        return shared_.order_claim(name, *key_, loop_);
    }
    [[nodiscard]] remote_signal& signal() const noexcept { return *own_.signal; }
    [[nodiscard]] key_state& key() const noexcept { return *key_; }
    [[nodiscard]] double tokens() const noexcept { return own_.tokens; }

private:
    shared_state& shared_;
    serial_loop& loop_;
    key_state* key_ = nullptr;
    place own_;
    bool is_taken_ = false;
};

/** A claim that is under way. */
class rate_limiter::claim_guard {
public:
    claim_guard(shared_state& shared, key_state& key, serial_loop& loop) noexcept
        : shared_{shared}, key_{key}, loop_{loop}
    {
    }
    claim_guard(const claim_guard&) = delete;
    claim_guard& operator=(const claim_guard&) = delete;
    ~claim_guard()
    {
        const std::lock_guard guard{shared_.lock};
        const time_point now = loop_.now();
        if (standing) key_.gate.end_claim(*standing, now);
        else if (has_failed) key_.gate.fail_claim(now);
        else key_.gate.drop_claim();
        --key_.users;
        shared_.serve(key_, now);
    }

    std::optional<rate_standing> standing;
    bool has_failed = false;

private:
    shared_state& shared_;
    key_state& key_;
    serial_loop& loop_;
};

rate_limiter::rate_limiter(rate_limiter_options options)
    : shared_{std::make_shared<shared_state>(std::move(options))}
{
}

rate_limiter::~rate_limiter() = default;

task<rate_limiter::permit> rate_limiter::admit(rate_request request) const
{
    return admit_to(shared_, std::move(request));
}

task<rate_limiter::permit> rate_limiter::admit_to(std::shared_ptr<shared_state> shared, rate_request request)
{
    serial_loop& loop = co_await this_task::loop();
    place_guard waiting{*shared, request, loop};
    std::optional<time_point> wakes_at;
    while (!waiting.take(wakes_at)) {
        std::optional<claim_order> order = waiting.order_claim(request.key);
        if (order) co_await make_claim(shared, std::move(*order));
        else co_await waiting.signal().wait_until(wakes_at);
    }
    co_return permit{std::move(shared), waiting.key(), loop, waiting.tokens(), std::move(request)};
}

task<void> rate_limiter::make_claim(std::shared_ptr<shared_state> shared, claim_order order)
{
    serial_loop& loop = co_await this_task::loop();
    claim_guard made{*shared, *order.key, loop};
    try {
        made.standing = co_await with_deadline(order.rates->claim(std::move(order.what)), claim_patience);
    } catch (const error& e) {
        if (e.code() == errc::cancelled) throw;
        made.has_failed = true;
    }
}

void rate_limiter::share(std::shared_ptr<shared_rates> rates)
{
    const std::lock_guard guard{shared_->lock};
    shared_->rates = std::move(rates);
    shared_->is_shared.store(shared_->rates != nullptr, std::memory_order_relaxed);
    for (auto& [name, key] : shared_->keys) {
        key.gate.share(shared_->rates != nullptr);
        if (auto* const first = static_cast<place*>(key.gate.first())) first->signal->notify();
    }
}

void rate_limiter::report(const rate_limit_key& key, serial_loop& loop) const
{
    if (!shared_->is_shared.load(std::memory_order_relaxed)) return;
    std::optional<claim_order> order;
    {
        const std::lock_guard guard{shared_->lock};
        const auto known = shared_->keys.find(key);
        if (known != shared_->keys.end() && known->second.gate.waiting() == 0)
            order = shared_->order_claim(key, known->second, loop);
    }
    if (order) async_start(loop, make_claim(shared_, std::move(*order)), [](std::exception_ptr) {});
}

std::size_t rate_limiter::waiting(const rate_limit_key& key) const
{
    const std::lock_guard guard{shared_->lock};
    const auto known = shared_->keys.find(key);
    return known == shared_->keys.end() ? 0 : known->second.gate.waiting();
}

std::size_t rate_limiter::in_flight(const rate_limit_key& key) const
{
    const std::lock_guard guard{shared_->lock};
    const auto known = shared_->keys.find(key);
    return known == shared_->keys.end() ? 0 : known->second.gate.in_flight();
}

rate_limiter::permit::permit(std::shared_ptr<shared_state> shared, key_state& key, serial_loop& loop, double tokens,
                             rate_request request)
    : shared_{std::move(shared)}, key_{&key}, loop_{&loop}, tokens_{tokens}, request_{std::move(request)}
{
}

rate_limiter::permit::permit(permit&& other) noexcept
    : shared_{std::move(other.shared_)}, key_{other.key_}, loop_{other.loop_}, tokens_{other.tokens_},
      request_{std::move(other.request_)}
{
}

rate_limiter::permit& rate_limiter::permit::operator=(permit&& other) noexcept
{
    if (this == &other) return *this;
    if (shared_) end([](time_point) {});
    shared_ = std::move(other.shared_);
    key_ = other.key_;
    loop_ = other.loop_;
    tokens_ = other.tokens_;
    request_ = std::move(other.request_);
    return *this;
}

rate_limiter::permit::~permit()
{
    if (shared_) end([](time_point) {});
}

template <class Correct>
void rate_limiter::permit::end(Correct correct)
{
    const std::shared_ptr<shared_state> shared = std::move(shared_);
    const time_point now = loop_->now();
    const std::lock_guard guard{shared->lock};
    key_->gate.release();
    --key_->users;
    correct(now);
    shared->serve(*key_, now);
}

void rate_limiter::permit::settle(const usage& used, const rate_limits& reported)
{
    if (!shared_) return;
    end([&](time_point now) {
        if (used.is_exact()) {
            const auto input = static_cast<double>(used.input.count());
            const auto output = static_cast<double>(used.output.count());
            if (request_.input.count() > 0 && input > 0)
                move_towards(key_->input_ratio, input / static_cast<double>(request_.input.count()));
            move_towards(key_->output_average, output);
            key_->gate.correct(0, input + output - tokens_, now);
        }
        key_->gate.learn(reported, now);
    });
}

void rate_limiter::permit::settle(const model_failure& failure)
{
    if (!shared_) return;
    const bool is_limited = failure.code == errc::model_rate_limited;
    const usage spent = model_detail::spent_by(failure);
    const auto pause = failure.retry_after ? std::chrono::nanoseconds{*failure.retry_after}
                                           : shared_->options.pause_without_hint;
    end([&](time_point now) {
        if (spent.is_exact()) key_->gate.correct(0, static_cast<double>(spent.total().count()) - tokens_, now);
        key_->gate.learn(failure.partial.rate_limits, now);
        if (is_limited) key_->gate.pause_until(now + pause);
    });
}

}  // namespace weft
