#include <weft/base/budget_ledger.hpp>

#include <weft/base/error.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace weft {

namespace {

/** One kind of spending, as a bare number. */
struct budget_kind {
    std::string_view name;
    std::int64_t (*count)(const spending&) noexcept;
    std::optional<std::int64_t> (*limit)(const budget&) noexcept;
    std::string (*text)(std::int64_t);
};

template <class Amount>
std::optional<std::int64_t> bare_count(const std::optional<Amount>& amount) noexcept
{
    return amount ? std::optional{amount->count()} : std::nullopt;
}

std::string plain_number(std::int64_t count) { return std::to_string(count); }

constexpr std::array<budget_kind, 5> budget_kinds{{
    {"tokens", [](const spending& s) noexcept { return s.tokens.count(); },
     [](const budget& b) noexcept { return bare_count(b.tokens); }, plain_number},
    {"cost", [](const spending& s) noexcept { return s.cost.count(); },
     [](const budget& b) noexcept { return bare_count(b.cost); },
     [](std::int64_t count) { return to_string(usd_micros{count}); }},
    {"model calls", [](const spending& s) noexcept { return s.model_calls; },
     [](const budget& b) noexcept { return b.model_calls; }, plain_number},
    {"tool calls", [](const spending& s) noexcept { return s.tool_calls; },
     [](const budget& b) noexcept { return b.tool_calls; }, plain_number},
    {"turns", [](const spending& s) noexcept { return s.turns; }, [](const budget& b) noexcept { return b.turns; },
     plain_number},
}};

constexpr std::size_t tokens_kind = 0;
constexpr std::size_t cost_kind = 1;

std::int64_t left_of(const budget_kind& kind, std::int64_t limit, const spending& spent, const spending& reserved)
{
    // As quantities, whose differences stop at the ends of 64 bits.
    return (tokens{limit} - tokens{kind.count(spent)} - tokens{kind.count(reserved)}).count();
}

void refuse_spending(const std::string& name, const budget_kind& kind, std::int64_t limit, const spending& spent,
                     const spending& reserved, const spending& asked)
{
    std::string detail = "the budget of ";
    detail.append(kind.name).append(" is ").append(kind.text(limit));
    detail.append(": ").append(kind.text(kind.count(spent))).append(" spent");
    if (kind.count(reserved) > 0) detail.append(", ").append(kind.text(kind.count(reserved))).append(" reserved");
    detail.append(", ").append(kind.text(kind.count(asked))).append(" more asked for");
    throw error{errc::budget_exhausted, name, std::move(detail)};
}

}  // namespace

spending& spending::operator+=(const spending& other) noexcept
{
    tokens += other.tokens;
    cost += other.cost;
    model_calls += other.model_calls;
    tool_calls += other.tool_calls;
    turns += other.turns;
    return *this;
}

spending& spending::operator-=(const spending& other) noexcept
{
    tokens -= other.tokens;
    cost -= other.cost;
    model_calls -= other.model_calls;
    tool_calls -= other.tool_calls;
    turns -= other.turns;
    return *this;
}

std::string to_string(const budget& amounts)
{
    std::string text;
    for (const budget_kind& kind : budget_kinds) {
        const std::optional<std::int64_t> limit = kind.limit(amounts);
        if (!limit) continue;
        text.append(text.empty() ? "" : ", ").append(kind.text(*limit));
        if (&kind != &budget_kinds[cost_kind]) text.append(" ").append(kind.name);
    }
    return text.empty() ? "unlimited" : text;
}

budget_ledger::budget_ledger(std::string name, budget limits, std::shared_ptr<budget_ledger> parent,
                             const spending& before)
    : name_{std::move(name)}, limits_{limits}, parent_{std::move(parent)}, spent_{before}
{
}

budget_ledger::reservation budget_ledger::reserve(const spending& estimate)
{
    std::shared_ptr<budget_ledger> self = shared_from_this();
    put_aside(estimate);
    return {std::move(self), estimate};
}

void budget_ledger::put_aside(const spending& estimate)
{
    {
        const std::lock_guard guard{lock_};
        for (const budget_kind& kind : budget_kinds) {
            const std::optional<std::int64_t> limit = kind.limit(limits_);
            if (limit && kind.count(estimate) > 0 &&
                kind.count(estimate) > left_of(kind, *limit, spent_, reserved_))
                refuse_spending(name_, kind, *limit, spent_, reserved_, estimate);
        }
        reserved_ += estimate;
    }
    if (!parent_) return;
    try {
        parent_->put_aside(estimate);
    } catch (...) {
        const std::lock_guard guard{lock_};
        reserved_ -= estimate;
        throw;
    }
}

void budget_ledger::put_back(const spending& estimate, const spending& real) noexcept
{
    for (budget_ledger* at = this; at; at = at->parent_.get()) {
        const std::lock_guard guard{at->lock_};
        at->reserved_ -= estimate;
        at->spent_ += real;
    }
}

void budget_ledger::spend(const spending& real) noexcept { put_back(spending{}, real); }

spending budget_ledger::spent() const
{
    const std::lock_guard guard{lock_};
    return spent_;
}

spending budget_ledger::reserved() const
{
    const std::lock_guard guard{lock_};
    return reserved_;
}

std::optional<std::int64_t> budget_ledger::least_left(std::size_t kind_index) const
{
    const budget_kind& kind = budget_kinds[kind_index];
    std::optional<std::int64_t> least;
    for (const budget_ledger* at = this; at; at = at->parent_.get()) {
        const std::optional<std::int64_t> limit = kind.limit(at->limits_);
        if (!limit) continue;
        const std::lock_guard guard{at->lock_};
        const std::int64_t left = std::max<std::int64_t>(left_of(kind, *limit, at->spent_, at->reserved_), 0);
        least = std::min(least.value_or(left), left);
    }
    return least;
}

std::optional<tokens> budget_ledger::tokens_left() const
{
    const std::optional<std::int64_t> left = least_left(tokens_kind);
    return left ? std::optional{tokens{*left}} : std::nullopt;
}

std::optional<usd_micros> budget_ledger::cost_left() const
{
    const std::optional<std::int64_t> left = least_left(cost_kind);
    return left ? std::optional{usd_micros{*left}} : std::nullopt;
}

bool budget_ledger::limits_cost() const noexcept
{
    return limits_.cost || (parent_ && parent_->limits_cost());
}

budget_pressure budget_ledger::pressure() const
{
    const std::lock_guard guard{lock_};
    budget_pressure result;
    for (const budget_kind& kind : budget_kinds) {
        const std::optional<std::int64_t> limit = kind.limit(limits_);
        if (!limit) continue;
        const auto used = static_cast<double>(kind.count(spent_)) + static_cast<double>(kind.count(reserved_));
        const double part = *limit > 0 ? used / static_cast<double>(*limit) : 1.0;
        if (result.of.empty() || part > result.used) result = {part, kind.name};
    }
    return result;
}

budget_ledger::reservation::reservation(std::shared_ptr<budget_ledger> ledger, const spending& estimate) noexcept
    : ledger_{std::move(ledger)}, estimate_{estimate}
{
}

budget_ledger::reservation::reservation(reservation&& other) noexcept
    : ledger_{std::move(other.ledger_)}, estimate_{std::exchange(other.estimate_, spending{})}
{
}

budget_ledger::reservation& budget_ledger::reservation::operator=(reservation other) noexcept
{
    std::swap(ledger_, other.ledger_);
    std::swap(estimate_, other.estimate_);
    return *this;
}

void budget_ledger::reservation::grow(const spending& more)
{
    ledger_->put_aside(more);
    estimate_ += more;
}

void budget_ledger::reservation::settle(const spending& real) noexcept
{
    if (!ledger_) return;
    ledger_->put_back(estimate_, real);
    ledger_ = nullptr;
    estimate_ = spending{};
}

}  // namespace weft
