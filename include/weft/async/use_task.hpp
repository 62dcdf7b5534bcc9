#pragma once

#include <weft/async/task/operation.hpp>

#include <boost/asio/async_result.hpp>

#include <memory>

namespace weft {

/** The type of both tokens. @tparam Throws  Whether an error is thrown, or given back as a value. */
template <bool Throws>
struct basic_use_task {};

/** The completion token that makes any Asio or Beast operation awaitable in a `task`.
 *
 *      std::size_t read = co_await socket.async_read_some(buffer, weft::use_task);
 *
 *  The operation starts when it is awaited; its handler runs on the loop of the run and its cancellation slot hangs in
 *  the run's stop scope, so that a stop aborts it (terminal cancellation: afterwards close the socket). A destroyed
 *  coroutine cancels its operation without waiting for it: buffers must then outlive it, as with Asio itself.
 *
 *  @par Errors          `boost::system::system_error` of the operation; `errc::cancelled` if a stop aborted it.
 *  @par Cancellation    In a stopped scope nothing is started.
 */
inline constexpr basic_use_task<true> use_task{};

/** As `use_task`, and gives `std::tuple<error_code, …>` back instead of throwing; a stop is `operation_aborted`. */
inline constexpr basic_use_task<false> use_task_result{};

/** As `use_task_result`, and keeps `owner` alive until the operation's handler has run.
 *
 *  A composed operation (TLS, Beast) touches its stream when it is aborted. A stream that may be destroyed together
 *  with the awaiting coroutine therefore belongs to a shared owner that goes with each operation.
 */
struct use_task_keeping {
    explicit use_task_keeping(std::shared_ptr<const void> owner) noexcept : owner{std::move(owner)} {}
    std::shared_ptr<const void> owner;
};

}  // namespace weft

// How Asio asks what a token makes of an operation. Nothing is called here yet: initiation and arguments go into the
// block that starts when it is awaited.
template <bool Throws, class... Args>
class boost::asio::async_result<weft::basic_use_task<Throws>, void(Args...)> {
public:
    using return_type = weft::async_detail::operation<Throws, std::decay_t<Args>...>;

    template <class Initiation, class... InitArgs>
    static return_type initiate(Initiation&& initiation, const weft::basic_use_task<Throws>&, InitArgs&&... args)
    {
        using arguments = std::tuple<std::decay_t<InitArgs>...>;
        using state = weft::async_detail::initiated_operation<typename return_type::results_type,
                                                              std::decay_t<Initiation>, arguments>;
        return return_type{
            new state{std::forward<Initiation>(initiation), arguments{std::forward<InitArgs>(args)...}}};
    }
};

// The same, and the owner goes into the block too.
template <class... Args>
class boost::asio::async_result<weft::use_task_keeping, void(Args...)> {
public:
    using return_type = weft::async_detail::operation<false, std::decay_t<Args>...>;

    template <class Initiation, class... InitArgs>
    static return_type initiate(Initiation&& initiation, weft::use_task_keeping token, InitArgs&&... args)
    {
        return_type result = boost::asio::async_result<weft::basic_use_task<false>, void(Args...)>::initiate(
            std::forward<Initiation>(initiation), weft::use_task_result, std::forward<InitArgs>(args)...);
        result.keep(std::move(token.owner));
        return result;
    }
};
