#pragma once

#include <weft/async/join.hpp>

#include <boost/assert.hpp>

#include <concepts>
#include <utility>
#include <vector>

namespace weft {

namespace async_detail {

/** The group of a race: the first that succeeds wins and stops the others. */
class race_group : public child_group {
public:
    using child_group::child_group;

    /** All branches of a race have one type, which `winner` gives back. */
    template <class T>
    void start(branch<T>& contender)
    {
        contender.start(*this, [](branch<T>& ended) {
            auto& race = static_cast<race_group&>(ended.group());
            if (ended.error())
                race.note_error(ended.error());
            else if (!race.winner_)
                race.won(&ended);
        });
    }

    /** The branch that won; throws if none did. */
    template <class T>
    [[nodiscard]] branch<T>& winner()
    {
        if (!winner_) throw_nothing_succeeded();
        return *static_cast<branch<T>*>(winner_);
    }

private:
    // The first success stops the rest. One that succeeds after that has lost.
    void won(void* branch)
    {
        winner_ = branch;
        request_stop();
    }
    void* winner_ = nullptr;
};

}  // namespace async_detail

/** Runs tasks side by side until the first succeeds; the others are stopped and awaited.
 *
 *      std::string answer = co_await weft::race(ask(fast_model), ask(large_model));
 *
 *  It returns when the slowest of the others has noticed its stop: a task that never waits holds it up.
 *
 *  @param contenders   At least one.
 *  @return             The result of the first that succeeded in time.
 *
 *  @par Errors
 *    - The first failure in time, when all have failed.
 *    - `errc::cancelled`  a stop came before any succeeded.
 *  @par Cancellation    All are stopped and awaited.
 */
template <class T>
[[nodiscard]] task<T> race(std::vector<task<T>> contenders)
{
    BOOST_ASSERT_MSG(!contenders.empty(), "a race needs at least one task");
    const task_context& context = co_await this_task::context();
    async_detail::race_group group{context};
    std::vector<async_detail::branch<T>> branches = async_detail::branches_of(std::move(contenders));
    for (auto& branch : branches) group.start(branch);
    co_await group.wait();
    async_detail::branch<T>& winner = group.template winner<T>();
    co_return winner.take();
}

/** As `race` of a vector. */
template <class T, std::same_as<T>... Ts>
[[nodiscard]] task<T> race(task<T> first, task<Ts>... others)
{
    std::vector<task<T>> contenders;
    contenders.reserve(1 + sizeof...(others));
    contenders.push_back(std::move(first));
    (contenders.push_back(std::move(others)), ...);
    return race(std::move(contenders));
}

}  // namespace weft
