#include <weft/store/thread/fallback_thread_state_store.hpp>

#include <weft/base/error.hpp>

#include <utility>

namespace weft {

namespace {

bool is_away(errc code) noexcept
{
    return code == errc::store_unavailable || code == errc::store_outcome_unknown;
}

/** What came of a write to the primary store; nothing if it is away. */
task<std::optional<write_state>> unless_away(task<write_state> write)
{
    try {
        const write_state state = co_await std::move(write);
        co_return state;
    } catch (const error& e) {
        if (!is_away(e.code())) throw;
    }
    co_return std::nullopt;
}

}  // namespace

task<write_state> fallback_thread_state_store::save(thread_hold by, boost::json::value state)
{
    task<write_state> direct = primary_->save(by, state);
    if (by.is_locked()) {
        const write_state what = co_await std::move(direct);
        co_return what;
    }
    const std::optional<write_state> what = co_await unless_away(std::move(direct));
    if (!what) {
        ++done_here_;
        const write_state kept = co_await kept_.save(std::move(by), std::move(state));
        co_return kept;
    }
    const write_state forgotten = co_await kept_.erase(std::move(by));
    static_cast<void>(forgotten);
    co_return *what;
}

task<std::optional<boost::json::value>> fallback_thread_state_store::load(thread_key thread)
{
    std::optional<boost::json::value> kept = co_await kept_.load(thread);
    if (kept) {
        task<write_state> moving = primary_->save(thread_hold{thread}, *kept);
        const std::optional<write_state> moved = co_await unless_away(std::move(moving));
        if (!moved) {
            ++done_here_;
            co_return kept;
        }
        const write_state forgotten = co_await kept_.erase(thread_hold{thread});
        static_cast<void>(forgotten);
    }
    try {
        std::optional<boost::json::value> loaded = co_await primary_->load(std::move(thread));
        co_return loaded;
    } catch (const error& e) {
        if (!is_away(e.code())) throw;
    }
    ++done_here_;
    co_return kept;
}

task<write_state> fallback_thread_state_store::erase(thread_hold by)
{
    const write_state here = co_await kept_.erase(by);
    static_cast<void>(here);
    const write_state there = co_await primary_->erase(std::move(by));
    co_return there;
}

}  // namespace weft
