#include <weft/chat/budget_ledger.hpp>

#include <weft/base/error.hpp>

#include <algorithm>
#include <mutex>
#include <utility>

namespace weft {

namespace {

std::int64_t count_of(std::int64_t amount) noexcept { return amount; }

template <class Tag>
std::int64_t count_of(quantity<Tag> amount) noexcept
{
    return amount.count();
}

std::string text_of(tokens amount) { return to_string(amount); }
std::string text_of(usd_micros amount) { return to_string(amount); }

std::string milliseconds_text(std::chrono::nanoseconds span)
{
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(span).count()) + " ms";
}

/** The same as a number, the others with their unit. */
struct counted {
    std::int64_t count;
    const char* unit;
};
std::string text_of(counted amount) { return std::to_string(amount.count) + " " + amount.unit; }

template <class Amount>
std::optional<Amount> lesser(const std::optional<Amount>& a, const std::optional<Amount>& b)
{
    if (!a || !b) return a ? a : b;
    return std::min(*a, *b);
}

template <class Amount>
std::optional<Amount> rest_of(const std::optional<Amount>& limit, Amount used)
{
    if (!limit) return std::nullopt;
    Amount rest = *limit;
    rest -= used;
    return std::max(rest, Amount{});
}

}  // namespace

budget_amounts& budget_amounts::operator+=(const budget_amounts& other) noexcept
{
    tokens += other.tokens;
    cost += other.cost;
    calls += other.calls;
    tool_calls += other.tool_calls;
    return *this;
}

budget_amounts& budget_amounts::operator-=(const budget_amounts& other) noexcept
{
    tokens -= other.tokens;
    cost -= other.cost;
    calls -= other.calls;
    tool_calls -= other.tool_calls;
    return *this;
}

/** One ledger. All accounts of a tree have one lock, so that a reservation is made in all of them or in none. */
struct budget_ledger::account {
    account(std::string called, budget_limits most, time_point since, std::shared_ptr<account> above)
        : name{std::move(called)}, limits{most}, began{since}, parent{std::move(above)},
          lock{parent ? parent->lock : std::make_shared<std::mutex>()}
    {
    }

    [[nodiscard]] budget_amounts used() const
    {
        budget_amounts sum = spent;
        return sum += reserved;
    }

    /** Throws if this account has less left than wanted. */
    void check(const budget_amounts& wanted, time_point now) const
    {
        const budget_amounts sum = used();
        check_one(limits.tokens, sum.tokens, wanted.tokens, [](auto amount) { return text_of(amount); });
        check_one(limits.cost, sum.cost, wanted.cost, [](auto amount) { return text_of(amount); });
        check_one(limits.calls, sum.calls, wanted.calls, [](auto n) { return text_of(counted{n, "model calls"}); });
        check_one(limits.tool_calls, sum.tool_calls, wanted.tool_calls,
                  [](auto n) { return text_of(counted{n, "tool calls"}); });
        if (limits.elapsed && now - began > *limits.elapsed)
            throw error{errc::budget_exhausted, name,
                        "its time is up: " + milliseconds_text(now - began) + " of " +
                            milliseconds_text(*limits.elapsed) + " have passed"};
    }

    template <class Amount, class Text>
    void check_one(const std::optional<Amount>& limit, Amount sum, Amount wanted, Text text) const
    {
        if (!limit || count_of(wanted) <= 0) return;
        const Amount rest = *rest_of(limit, sum);
        if (wanted <= rest) return;
        throw error{errc::budget_exhausted, name,
                    text(wanted) + " wanted, " + text(rest) + " of " + text(*limit) + " left"};
    }

    const std::string name;
    const budget_limits limits;
    const time_point began;
    const std::shared_ptr<account> parent;
    const std::shared_ptr<std::mutex> lock;
    budget_amounts spent;
    budget_amounts reserved;
};

budget_ledger::budget_ledger(std::string name, budget_limits limits, time_point began)
    : account_{std::make_shared<account>(std::move(name), limits, began, nullptr)}
{
}

budget_ledger::budget_ledger(std::shared_ptr<account> own) noexcept : account_{std::move(own)} {}

budget_ledger budget_ledger::child(std::string name, budget_limits limits, time_point began) const
{
    return budget_ledger{std::make_shared<account>(std::move(name), limits, began, account_)};
}

budget_ledger::reservation budget_ledger::reserve(const budget_amounts& wanted, time_point now) const
{
    reservation made{account_, budget_amounts{}};
    made.grow(wanted, now);
    return made;
}

const std::string& budget_ledger::name() const noexcept { return account_->name; }

budget_amounts budget_ledger::spent() const
{
    const std::lock_guard guard{*account_->lock};
    return account_->spent;
}

budget_amounts budget_ledger::reserved() const
{
    const std::lock_guard guard{*account_->lock};
    return account_->reserved;
}

budget_limits budget_ledger::left(time_point now) const
{
    const std::lock_guard guard{*account_->lock};
    budget_limits least;
    for (const account* own = account_.get(); own; own = own->parent.get()) {
        const budget_amounts used = own->used();
        least.tokens = lesser(least.tokens, rest_of(own->limits.tokens, used.tokens));
        least.cost = lesser(least.cost, rest_of(own->limits.cost, used.cost));
        least.calls = lesser(least.calls, rest_of(own->limits.calls, used.calls));
        least.tool_calls = lesser(least.tool_calls, rest_of(own->limits.tool_calls, used.tool_calls));
        const std::chrono::nanoseconds passed = now - own->began;
        least.elapsed = lesser(least.elapsed, rest_of(own->limits.elapsed, passed));
    }
    return least;
}

bool budget_ledger::limits_cost() const noexcept
{
    for (const account* own = account_.get(); own; own = own->parent.get())
        if (own->limits.cost) return true;
    return false;
}

budget_ledger::reservation::reservation(std::shared_ptr<account> own, const budget_amounts& amounts) noexcept
    : account_{std::move(own)}, amounts_{amounts}
{
}

budget_ledger::reservation::reservation(reservation&& other) noexcept
    : account_{std::move(other.account_)}, amounts_{other.amounts_}
{
}

budget_ledger::reservation& budget_ledger::reservation::operator=(reservation&& other) noexcept
{
    if (this == &other) return *this;
    settle(amounts_);
    account_ = std::move(other.account_);
    amounts_ = other.amounts_;
    return *this;
}

budget_ledger::reservation::~reservation() { settle(amounts_); }

void budget_ledger::reservation::grow(const budget_amounts& more, time_point now)
{
    if (!account_) return;
    const std::lock_guard guard{*account_->lock};
    for (const account* own = account_.get(); own; own = own->parent.get()) own->check(more, now);
    for (account* own = account_.get(); own; own = own->parent.get()) own->reserved += more;
    amounts_ += more;
}

void budget_ledger::reservation::settle(const budget_amounts& used) noexcept
{
    const std::shared_ptr<account> settled = std::move(account_);
    if (!settled) return;
    const budget_amounts spent = used;  // it may be our own, which changes below
    const std::lock_guard guard{*settled->lock};
    for (account* own = settled.get(); own; own = own->parent.get()) {
        own->reserved -= amounts_;
        own->spent += spent;
    }
    amounts_ = budget_amounts{};
}

}  // namespace weft
