#include <weft/model/wire/refreshing_key.hpp>

#include <weft/async/task/task_context.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/async/wait/remote_signal.hpp>
#include <weft/base/error.hpp>

#include <boost/assert.hpp>

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

namespace weft {

namespace {

constexpr std::chrono::nanoseconds lifetime_max = std::chrono::hours{24 * 365};

/** One fetch, and who waits for it. Under the lock of the state. */
struct key_flight {
    std::vector<intrusive_ptr<remote_signal>> waiting;
    bool is_over = false;
    std::exception_ptr failure;
};

bool equal_keys(const secret_string& a, const secret_string& b) noexcept { return a.reveal() == b.reveal(); }

}  // namespace

struct refreshing_key::state {
    state(fetch_function how, refreshing_key_options wanted) : fetch{std::move(how)}, options{wanted} {}

    const fetch_function fetch;
    const refreshing_key_options options;
    mutable std::mutex lock;
    secret_string key;  // empty: none was fetched yet
    time_point fetched_at{};
    std::optional<time_point> renewed_at;
    std::shared_ptr<key_flight> flight;  // of the fetch under way
    std::int64_t fetches = 0;
};

/** What one call has to do with the key: take it, wait for the call that fetches it, or fetch it. A call that goes
 *  without having fetched what it was to fetch leaves that to one of those who wait. */
class refreshing_key::seat {
public:
    enum class state_now { found, refused, waits, leads };

    seat(std::shared_ptr<state> shared, secret_string refused)
        : shared_{std::move(shared)}, refused_{std::move(refused)}, news_{make_counted<remote_signal>()}
    {
    }
    ~seat() { end({}); }
    seat(const seat&) = delete;
    seat& operator=(const seat&) = delete;

    [[nodiscard]] state_now look(time_point now);
    void keep(fetched_key fetched, time_point now);
    void fail(std::exception_ptr cause) { end(std::move(cause)); }

    [[nodiscard]] remote_signal& news() noexcept { return *news_; }
    [[nodiscard]] secret_string key() const { return key_; }

private:
    void end(std::exception_ptr failure);

    std::shared_ptr<state> shared_;
    secret_string refused_;
    intrusive_ptr<remote_signal> news_;
    std::shared_ptr<key_flight> joined_;
    bool leads_ = false;
    secret_string key_;
};

/** @par Errors   What the fetch that was waited for failed with. */
refreshing_key::seat::state_now refreshing_key::seat::look(time_point now)
{
    const std::lock_guard guard{shared_->lock};
    state& shared = *shared_;
    if (joined_) {
        if (!joined_->is_over) return state_now::waits;
        const std::shared_ptr<key_flight> over = std::move(joined_);
        if (over->failure) std::rethrow_exception(over->failure);
    }
    if (!shared.flight && !shared.key.empty()) {
        const bool is_refused = !refused_.empty() && equal_keys(shared.key, refused_);
        if (is_refused && now - shared.fetched_at < shared.options.interval_min) return state_now::refused;
        if (!is_refused && (!shared.renewed_at || now < *shared.renewed_at)) {
            key_ = shared.key;
            return state_now::found;
        }
    }
    if (!shared.flight) {
        shared.flight = std::make_shared<key_flight>();
        ++shared.fetches;
        leads_ = true;
        return state_now::leads;
    }
    joined_ = shared.flight;
    joined_->waiting.push_back(news_);
    return state_now::waits;
}

/** @par Errors   `errc::model_unauthorized` for an empty key. */
void refreshing_key::seat::keep(fetched_key fetched, time_point now)
{
    if (fetched.key.empty())
        throw error{errc::model_unauthorized, "refreshing_key", "the function that fetches the key gave none"};
    key_ = fetched.key;
    {
        const std::lock_guard guard{shared_->lock};
        shared_->key = std::move(fetched.key);
        shared_->fetched_at = now;
        shared_->renewed_at.reset();
        // A short-lived key is used for half of its life at least, or it would be fetched for every call.
        if (fetched.valid_for) {
            const std::chrono::nanoseconds lifetime = std::min(*fetched.valid_for, lifetime_max);
            shared_->renewed_at = now + std::max(lifetime - shared_->options.renewed_before, lifetime / 2);
        }
    }
    end({});
}

void refreshing_key::seat::end(std::exception_ptr failure)
{
    if (!std::exchange(leads_, false)) return;
    const std::lock_guard guard{shared_->lock};
    const std::shared_ptr<key_flight> over = std::move(shared_->flight);
    over->is_over = true;
    over->failure = std::move(failure);
    for (const auto& waiting : over->waiting) waiting->notify();
    over->waiting.clear();
}

refreshing_key::refreshing_key(fetch_function fetch, refreshing_key_options options)
    : state_{std::make_shared<state>(std::move(fetch), options)}
{
    BOOST_ASSERT_MSG(state_->fetch, "a key that is refreshed needs a function that fetches it");
}

refreshing_key::~refreshing_key() = default;

std::int64_t refreshing_key::fetches() const
{
    const std::lock_guard guard{state_->lock};
    return state_->fetches;
}

task<secret_string> refreshing_key::do_current() { return key_other_than(state_, secret_string{}); }

task<secret_string> refreshing_key::do_refresh(secret_string refused)
{
    return key_other_than(state_, std::move(refused));
}

task<secret_string> refreshing_key::key_other_than(std::shared_ptr<state> shared, secret_string refused)
{
    const task_context& context = co_await this_task::context();
    seat own{shared, std::move(refused)};
    for (;;) {
        const seat::state_now found = own.look(context.loop->now());
        if (found == seat::state_now::found) co_return own.key();
        if (found == seat::state_now::refused) co_return secret_string{};
        if (found == seat::state_now::waits) {
            co_await own.news().wait();
            continue;
        }
        std::exception_ptr failure;
        try {
            fetched_key fetched = co_await with_deadline(shared->fetch(), shared->options.fetch_time_max);
            own.keep(std::move(fetched), context.loop->now());
        } catch (...) {
            failure = std::current_exception();
        }
        if (failure) {
            // A stop of this call is nothing to the others: one of them fetches.
            if (!context.scope->stop_requested()) own.fail(failure);
            std::rethrow_exception(failure);
        }
        co_return own.key();
    }
}

}  // namespace weft
