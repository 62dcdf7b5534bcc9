#pragma once

#include <weft/async/group/pool_job.hpp>

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace weft {

namespace async_detail {

/** A job that calls a function and keeps its result. */
template <class Function>
class function_job final : public pool_job {
    using result = std::remove_cvref_t<std::invoke_result_t<Function&>>;
    using stored = std::conditional_t<std::is_void_v<result>, std::monostate, result>;

public:
    explicit function_job(Function function) : function_{std::move(function)} {}

    /** The result, once; after `rethrow` of an error there is none. */
    result take()
    {
        if constexpr (!std::is_void_v<result>) return std::move(*result_);
    }

private:
    void call() override
    {
        if constexpr (std::is_void_v<result>)
            std::invoke(function_);
        else
            result_.emplace(std::invoke(function_));
    }

    Function function_;
    std::optional<stored> result_;
};

}  // namespace async_detail

/** Calls a blocking function on a pool of OS threads and goes on with its result on the loop.
 *
 *      std::string page = co_await weft::on_pool(pool, [path] { return read_file(path); });
 *
 *  @param pool       Where to call it; outlives the call of the function.
 *  @param function   Called once without arguments. It must not touch what the loop uses meanwhile.
 *  @return           What it returns, as a value.
 *
 *  @par Errors
 *    - What the function throws.
 *    - `errc::cancelled`  a stop came first, or the pool was stopped before the function began.
 *  @par Cancellation    At once. A function that has begun goes on alone and its result is dropped; one that has not
 *                       is never called.
 *  @par Lifetimes       The function and its result belong to the job: the coroutine and the loop may die first.
 */
template <class Function>
[[nodiscard]] auto on_pool(boost::asio::thread_pool& pool, Function function)
    -> task<std::remove_cvref_t<std::invoke_result_t<Function&>>>
{
    const intrusive_ptr<async_detail::function_job<Function>> job{
        new async_detail::function_job<Function>{std::move(function)}};
    async_detail::pool_wait finished{pool, *job};
    co_await finished;
    co_return job->take();
}

}  // namespace weft
