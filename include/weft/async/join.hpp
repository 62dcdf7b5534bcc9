#pragma once

#include <weft/async/task/child_group.hpp>

#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace weft {

namespace async_detail {

/** What a task leaves in the tuple of a `join`: its result, or a place holder. */
template <class T>
using joined_result = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

/** The result of a branch that has succeeded. */
template <class T>
joined_result<T> take_joined(branch<T>& ended)
{
    if constexpr (std::is_void_v<T>) {
        ended.take();
        return {};
    } else {
        return ended.take();
    }
}

/** Starts a branch whose failure stops all others of its group. */
template <class T>
void start_joined(child_group& group, branch<T>& work)
{
    work.start(group, [](branch<T>& ended) {
        if (ended.error() && ended.group().note_error(ended.error())) ended.group().request_stop();
    });
}

/** Tasks as branches, ready to be started in a group; a vector of branches must not grow after that. */
template <class T>
std::vector<branch<T>> branches_of(std::vector<task<T>> work)
{
    std::vector<branch<T>> branches;
    branches.reserve(work.size());
    for (task<T>& one : work) branches.emplace_back(std::move(one));
    return branches;
}

}  // namespace async_detail

/** Runs tasks side by side and waits for all of them.
 *
 *      auto [weather, news] = co_await weft::join(ask("weather"), ask("news"));
 *
 *  All of them run on the loop of the caller: they overlap where they wait, and need no locks.
 *  They start in the order of the arguments, each running until it first waits.
 *
 *  @return   Their results in the order of the arguments; `std::monostate` for `void`.
 *
 *  @par Errors
 *    - The first failure in time. It stops the others, which are awaited before it is thrown.
 *    - `errc::cancelled`  a stop cut one short and none failed.
 *  @par Cancellation    All are stopped and awaited.
 */
template <class... Ts>
[[nodiscard]] task<std::tuple<async_detail::joined_result<Ts>...>> join(task<Ts>... work)
{
    const task_context& context = co_await this_task::context();
    async_detail::child_group group{context};
    std::tuple<async_detail::branch<Ts>...> branches{std::move(work)...};
    std::apply([&group](auto&... branch) { (async_detail::start_joined(group, branch), ...); }, branches);
    co_await group.wait();
    group.rethrow();
    co_return std::apply(
        [](auto&... branch) {
            return std::tuple<async_detail::joined_result<Ts>...>{async_detail::take_joined(branch)...};
        },
        branches);
}

/** As `join` of several tasks, for any number of one type; of none the result is empty.
 *
 *      std::vector<weft::task<std::string>> asked;
 *      for (const std::string& city : cities) asked.push_back(ask(city));
 *      std::vector<std::string> answers = co_await weft::join(std::move(asked));
 */
template <class T>
[[nodiscard]] task<std::vector<T>> join(std::vector<task<T>> work)
{
    const task_context& context = co_await this_task::context();
    async_detail::child_group group{context};
    std::vector<async_detail::branch<T>> branches = async_detail::branches_of(std::move(work));
    for (auto& branch : branches) async_detail::start_joined(group, branch);
    co_await group.wait();
    group.rethrow();
    std::vector<T> results;
    results.reserve(branches.size());
    for (auto& branch : branches) results.push_back(branch.take());
    co_return results;
}

/** As `join` of several tasks, for any number without results. */
[[nodiscard]] task<void> join(std::vector<task<void>> work);

}  // namespace weft
