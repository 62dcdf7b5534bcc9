#pragma once

#include "agent/core/activity_flag.hpp"

#include <weft/agent/node/watchdog.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/task.hpp>
#include <weft/base/error.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace weft {

namespace agent_detail {

/** How often signs of life are looked for. */
inline constexpr std::chrono::milliseconds look_every{5'000};

/** Throws when work has to be ended; never ends by itself. */
[[nodiscard]] task<void> keep_watch(std::shared_ptr<activity_flag> activity, watchdog_limits limits, std::string what,
                                    std::function<void(std::uint32_t)> on_bump);

template <class T>
task<void> do_watched(task<T> work, std::optional<T>& into, scope& both)
{
    T result = co_await std::move(work);
    into.emplace(std::move(result));
    both.request_stop();  // there is nothing to watch any more
}

}  // namespace agent_detail

/** Runs work under a watchdog, which ends it when it is silent for too long or lasts too long.
 *
 *  @param work      Shows by `activity` that it gets on.
 *  @param what      What it is, for errors.
 *  @param on_bump   Called with the number of the bump; may be empty.
 *  @return          The result of `work`.
 *
 *  @par Errors          `errc::timeout` if it was ended; what `work` throws; `errc::cancelled`.
 *  @par Cancellation    `work` is stopped and awaited. */
template <class T>
[[nodiscard]] task<T> watched(task<T> work, std::shared_ptr<activity_flag> activity, watchdog_limits limits,
                              std::string what, std::function<void(std::uint32_t)> on_bump)
{
    const task_context& context = co_await this_task::context();
    std::optional<T> result;
    scope both{context};
    both.spawn(agent_detail::do_watched(std::move(work), result, both));
    if (!result)
        both.spawn(agent_detail::keep_watch(std::move(activity), limits, std::move(what), std::move(on_bump)));
    co_await both.join();
    if (!result) throw error{errc::cancelled};
    co_return std::move(*result);
}

}  // namespace weft
