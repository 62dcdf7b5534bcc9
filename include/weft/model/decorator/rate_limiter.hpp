#pragma once

#include <weft/async/task.hpp>
#include <weft/async/wait/shared_rates.hpp>
#include <weft/base/chrono.hpp>
#include <weft/base/units.hpp>
#include <weft/chat/usage.hpp>
#include <weft/model/chat/rate_limits.hpp>
#include <weft/model/decorator/model_rate_limits.hpp>
#include <weft/model/model_error.hpp>

#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace weft {

/** What an endpoint counts together. */
struct rate_limit_key {
    std::string provider{};
    std::string credential{};  ///< A name for the key or account; never the key itself.
    std::string model{};

    friend auto operator<=>(const rate_limit_key&, const rate_limit_key&) = default;
};

/** How calls are spread over time. */
struct rate_limiter_options {
    model_rate_limits limits{};                               ///< Of every key that has none of its own.
    std::map<rate_limit_key, model_rate_limits> limits_of{};
    std::map<std::string, double> tenant_weights{};           ///< Above 0; 1 for who is not named.
    std::size_t waiting_max = 10'000;                         ///< Calls that wait, per key.
    std::chrono::nanoseconds pause_without_hint = std::chrono::seconds{1};  ///< After a 429 that does not say how long.
    tokens output_expected{500};                              ///< Per call, until the first replies have told.
};

/** What is known about a call before it is made. */
struct rate_request {
    // Declared: see docs/COMPILERS.md.
    rate_request() {}
    rate_limit_key key;
    std::string tenant;
    tokens input;                       ///< Estimated.
    tokens output_max = tokens::max();  ///< The most that it may write.
};

/** Holds calls back until the limits of their endpoint allow them, over all runs, loops and OS threads that share it.
 *
 *      weft::rate_limiter limiter{options};                           // copies share their state
 *      weft::rate_limiter::permit permit = co_await limiter.admit(request);
 *      …
 *      permit.settle(reply.usage, reply.rate_limits);
 *
 *  Each key has a bucket of requests and one of tokens. A call takes out what it will probably use: its input by the
 *  estimate times what the key's calls were off so far, and the output that they had on average. Afterwards the
 *  difference to what it really used is made up for. What replies say about limits, and refusals for too many calls,
 *  correct the buckets. Who waits is served fairly between tenants; see `rate_gate`.
 *
 *  @par Thread safety   From any loop on any OS thread, all on one clock. A waiting coroutine is woken on its own loop.
 *  @par Lifetimes       Permits and waiting coroutines share the state: the limiter may go first.
 */
class rate_limiter {
public:
    class permit;

    explicit rate_limiter(rate_limiter_options options = {});
    ~rate_limiter();
    rate_limiter(const rate_limiter&) = default;
    rate_limiter& operator=(const rate_limiter&) = default;

    /** Waits until the call may be made.
     *
     *  @par Errors
     *    - `errc::limit_reached`  too many calls of this key wait already.
     *    - `errc::cancelled`
     *  @par Cancellation    At once; the place in the line is lost, nothing else is. */
    [[nodiscard]] task<permit> admit(rate_request request) const;

    /** From now on each key's limits of requests and tokens are those of all processes that have these rates; null: of
     *  this one, as at first. The name of a rate is the key's, its holder is made by chance.
     *
     *      limiter.share(std::shared_ptr<weft::shared_rates>{store, &store->service().rates()});
     *
     *  The sum over the processes stays within the limits, each with its turn. A call that finds nothing claimed costs
     *  a question to the rates; while many wait, each process asks once for its share of a second. After a 429 the
     *  calls of all processes wait, within two seconds. While the rates do not answer, the process spends the limits
     *  divided by the number of processes that was known last, and asks again each second. `in_flight_max` is each
     *  process's. What replies say is left does not count then, lower limits do. */
    void share(std::shared_ptr<shared_rates> rates);
    /** Begins to tell the shared rates, if there are any, what calls of this key have used beside what was taken for
     *  them, unless a call that waits is about to. It goes on beside its caller, as a task of the loop: a
     *  loop that ends before the answer drops the report, so that its last use may be missing from the shared rates. */
    void report(const rate_limit_key& key, serial_loop& loop) const;

    /** How many calls of a key wait, and how many have a permit. */
    [[nodiscard]] std::size_t waiting(const rate_limit_key& key) const;
    [[nodiscard]] std::size_t in_flight(const rate_limit_key& key) const;

private:
    struct shared_state;
    struct key_state;
    class place;
    class place_guard;
    class claim_guard;
    struct claim_order;
    static task<permit> admit_to(std::shared_ptr<shared_state> shared, rate_request request);
    static task<void> make_claim(std::shared_ptr<shared_state> shared, claim_order order);

    std::shared_ptr<shared_state> shared_;
};

/** Leave to make one call. Without a word of how it went, what was taken for the call counts as used.
 *  Only moved; to be used and destroyed on the loop that waited for it. */
class [[nodiscard]] rate_limiter::permit {
public:
    permit() noexcept = default;
    permit(permit&& other) noexcept;
    permit& operator=(permit&& other) noexcept;
    ~permit();

    /** The call ended with a reply. */
    void settle(const usage& used, const rate_limits& reported);
    /** The call failed: what it did not use is given back, and a refusal for too many calls pauses the key. */
    void settle(const model_failure& failure);

private:
    friend class rate_limiter;
    permit(std::shared_ptr<shared_state> shared, key_state& key, serial_loop& loop, double tokens,
           rate_request request);
    template <class Correct>
    void end(Correct correct);

    std::shared_ptr<shared_state> shared_;  // null: nothing to end
    key_state* key_ = nullptr;
    serial_loop* loop_ = nullptr;
    double tokens_ = 0;
    rate_request request_;
};

}  // namespace weft
