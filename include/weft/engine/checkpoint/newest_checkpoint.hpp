#pragma once

#include <weft/async/task.hpp>
#include <weft/base/error.hpp>
#include <weft/store/record/checkpoint.hpp>

#include <exception>
#include <optional>
#include <utility>

namespace weft {

/** Reads a checkpoint of a thread whose run may go on meanwhile, and forget it before all of it is read:
 *
 *      const auto load = [&] { return store.load(thread, std::nullopt); };
 *      const auto read = [&](const checkpoint& head) { return read_frontier(store, thread, head, of); };
 *      const std::optional<frontier> newest = co_await read_newest<frontier>(load, read);
 *
 *  If it has gone, what `load` gives then is read instead.
 *
 *  @param load    Makes a `task<std::optional<checkpoint>>`.
 *  @param read    Makes a `task<Result>` of a checkpoint that stays until the task has ended.
 *  @return        Nothing if `load` gives nothing.
 *  @par Errors     Those of both; `store_corrupt` only of a checkpoint that is still there, or if 100 in a row have
 *                  gone.
 *  @par Lifetimes  What both refer to outlives the task. */
template <class Result, class Load, class Read>
[[nodiscard]] task<std::optional<Result>> read_newest(Load load, Read read)
{
    constexpr int attempts_max = 100;
    std::optional<Result> result;
    std::optional<checkpoint> found = co_await load();
    for (int attempt = 1; found; ++attempt) {
        std::exception_ptr damage;
        try {
            result.emplace(co_await read(std::as_const(*found)));
        } catch (const error& e) {
            if (e.code() != errc::store_corrupt) throw;
            damage = std::current_exception();
        }
        if (!damage) break;
        std::optional<checkpoint> now = co_await load();
        if (attempt == attempts_max || (now && now->id == found->id)) std::rethrow_exception(damage);
        found = std::move(now);
    }
    co_return result;
}

}  // namespace weft
