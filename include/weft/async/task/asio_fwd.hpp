#pragma once

/** What crosses between weft and Asio, declared without Asio's headers, which take longer to compile than all of weft.
 *  Code that uses it includes <weft/asio.hpp>; without it, compilers say that a function with return type `auto` is
 *  used before it is defined. */

namespace boost::asio {

template <typename T, typename Executor>
class awaitable;

}  // namespace boost::asio

namespace weft {

class serial_loop;
template <class T>
class task;

/** See weft/async/task/from_awaitable.hpp. */
template <class T, class Executor>
[[nodiscard]] auto from_awaitable(boost::asio::awaitable<T, Executor> work);

/** See weft/async/async_start.hpp. */
template <class T, class CompletionToken>
auto async_start(serial_loop& loop, task<T> work, CompletionToken&& token);

}  // namespace weft
