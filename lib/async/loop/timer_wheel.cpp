#include <weft/async/loop/timer_wheel.hpp>
#include <weft/base/random.hpp>

#include <algorithm>
#include <bit>
#include <chrono>

namespace weft {

namespace {

constexpr std::chrono::milliseconds tick_length{1};

time_point moment_of(std::uint64_t tick) noexcept
{
    return time_point{tick_length * static_cast<std::int64_t>(tick)};
}

/** The tick that a moment is at or behind. */
std::uint64_t tick_of(time_point moment) noexcept
{
    return static_cast<std::uint64_t>(std::max<std::int64_t>(moment.time_since_epoch() / tick_length, 0));
}

bool is_earlier(const timed_item& one, const timed_item& other) noexcept { return one.deadline() < other.deadline(); }

// Reads ahead of a callback, which would wait for most lines of what it works on: each run has memory of its own, and
// thousands of them are more than a cache holds. The lines before and behind are those of a run with its node.
void prefetch(const timed_item& timer) noexcept
{
    constexpr std::ptrdiff_t line = 64;
    const auto* const from = static_cast<const char*>(timer.works_on());
    if (!from) return;
    for (std::ptrdiff_t at = -5 * line; at < 3 * line; at += line) __builtin_prefetch(from + at, 1);
}

}  // namespace

template <std::size_t Count>
void timer_wheel::level<Count>::push(std::size_t at, timed_item& timer) noexcept
{
    lists[at].push(timer);
    bits[at / 64] |= std::uint64_t{1} << at % 64;
}

template <std::size_t Count>
std::optional<std::size_t> timer_wheel::level<Count>::next_from(std::size_t at) const noexcept
{
    for (std::size_t word = at / 64; word < bits.size(); at = ++word * 64) {
        std::uint64_t left = bits[word] & ~std::uint64_t{0} << at % 64;
        for (; left != 0; left &= left - 1) {
            const std::size_t found = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
            if (!lists[found].empty()) return found;
            bits[word] &= ~(left & -left);
        }
    }
    return std::nullopt;
}

void timer_wheel::insert(timed_item& timer, time_point deadline, time_point now)
{
    // A loop that has slept, or begins: what is near now would stand far from where the wheel has stopped.
    if (const tick present = tick_of(now); present >= front()) turn_to(present);
    timer.deadline_ = deadline;
    timer.is_armed_ = true;
    ++size_;
    const tick at = tick_of(deadline);
    if (deadline > moment_of(at))
        between_.push_sorted(timer, is_earlier);
    else
        put(timer, at);
}

void timer_wheel::put(timed_item& timer, tick at) noexcept
{
    const std::size_t present = now_ % first_.lists.size();
    // What is overdue keeps its order.
    if (at <= now_) return first_.lists[present].push_sorted(timer, is_earlier);
    if (at < front() + block) return first_.push(at % first_.lists.size(), timer);
    const int above = (std::bit_width(at ^ front()) - 1 - block_bits) / level_bits;
    above_[static_cast<std::size_t>(above)].push(at >> (block_bits + above * level_bits) & 63, timer);
}

void timer_wheel::erase(timed_item& timer) noexcept
{
    timer.unlink();
    timer.is_armed_ = false;
    --size_;
}

void timer_wheel::clear() noexcept
{
    const auto empty = [](list& of) {
        while (!of.empty()) of.pop().is_armed_ = false;
    };
    std::ranges::for_each(first_.lists, empty);
    for (level<64>& one : above_) std::ranges::for_each(one.lists, empty);
    empty(between_);
    size_ = 0;
}

// The lists of the first level are a ring that begins at the present tick.
std::optional<timer_wheel::tick> timer_wheel::next_tick() const noexcept
{
    const tick present = now_ % first_.lists.size();
    if (const auto found = first_.next_from(present + 1)) return now_ + (*found - present);
    const auto found = first_.next_from(0);
    if (!found || *found >= present) return std::nullopt;
    return now_ + (*found + first_.lists.size() - present);
}

std::optional<timer_wheel::coarse_place> timer_wheel::next_coarse() const noexcept
{
    for (std::size_t above = 0; above < above_.size(); ++above) {
        const std::size_t shift = block_bits + above * level_bits;
        const tick digits = front() >> shift;
        if (const auto found = above_[above].next_from(digits % 64 + 1))
            return coarse_place{above, *found, (digits - digits % 64 + *found) << shift};
    }
    return std::nullopt;
}

time_point timer_wheel::earliest() const noexcept
{
    time_point first = between_.empty() ? time_point::max() : between_.front().deadline();
    if (!here().empty()) return std::min(first, here().front().deadline());
    if (const std::optional<tick> next = next_tick()) return std::min(first, moment_of(*next));
    const std::optional<coarse_place> next = next_coarse();
    if (!next) return first;
    const list& coarse = above_[next->above].lists[next->at];
    for (const timed_item* timer = &coarse.front(); timer; timer = coarse.behind(*timer))
        first = std::min(first, timer->deadline());
    return first;
}

time_point timer_wheel::next_stop() const noexcept
{
    time_point first = between_.empty() ? time_point::max() : between_.front().deadline();
    if (!here().empty()) return std::min(first, here().front().deadline());
    if (const std::optional<tick> next = next_tick()) first = std::min(first, moment_of(*next));
    if (const std::optional<coarse_place> next = next_coarse()) first = std::min(first, moment_of(next->moves()));
    return first;
}

void timer_wheel::move_down(const coarse_place& from) noexcept
{
    now_ = std::max(now_, from.moves());
    list& coarse = above_[from.above].lists[from.at];
    while (!coarse.empty()) {
        timed_item& timer = coarse.pop();
        put(timer, tick_of(timer.deadline_));
    }
}

// Goes on to the next tick that has timers, or to `until` if there is none before it.
void timer_wheel::turn_to(tick until) noexcept
{
    while (here().empty()) {
        const std::optional<tick> next = next_tick();
        const std::optional<coarse_place> coarse = next_coarse();
        const tick first = std::min(next.value_or(until), until);
        if (coarse && coarse->moves() <= first) {
            move_down(*coarse);
            continue;
        }
        now_ = std::max(now_, first);
        if (!next || *next > until) return;
    }
}

timed_item* timer_wheel::first_due(time_point now) noexcept
{
    turn_to(tick_of(now));
    timed_item* first = nullptr;
    const list* of = &here();
    if (!of->empty() && of->front().deadline() <= now) first = &of->front();
    if (!between_.empty() && between_.front().deadline() <= now && (!first || is_earlier(between_.front(), *first))) {
        of = &between_;
        first = &between_.front();
    }
    return first && random_order_ ? &any_equal(*of, *first) : first;
}

timed_item& timer_wheel::any_equal(const list& among, timed_item& first) noexcept
{
    const auto behind = [&](timed_item* timer) {
        timer = among.behind(*timer);
        return timer && timer->deadline() == first.deadline() ? timer : nullptr;
    };
    std::uint32_t count = 0;
    for (timed_item* timer = &first; timer; timer = behind(timer)) ++count;
    timed_item* chosen = &first;
    for (auto left = random_order_->below(count); left > 0; --left) chosen = behind(chosen);
    return *chosen;
}

// While the first timer of a tick fires, what the second works on comes into the cache, and the fourth timer itself.
void timer_wheel::prefetch_next() const noexcept
{
    const list& coming = here();
    const timed_item* const second = coming.empty() ? nullptr : coming.behind(coming.front());
    if (!second) return;
    prefetch(*second);
    if (const timed_item* const third = coming.behind(*second)) __builtin_prefetch(coming.behind(*third), 1);
}

bool timer_wheel::fire_due(time_point now)
{
    timed_item* const timer = first_due(now);
    if (!timer) return false;
    prefetch_next();
    erase(*timer);
    ready_queue::run(*timer);
    return true;
}

}  // namespace weft
