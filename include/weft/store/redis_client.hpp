#pragma once

#include <weft/async/task.hpp>
#include <weft/net/byte_stream.hpp>
#include <weft/store/redis/redis_command.hpp>
#include <weft/store/redis/redis_options.hpp>
#include <weft/store/redis/redis_script.hpp>
#include <weft/store/redis/redis_value.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace weft {

class serial_loop;

/** What the connections of a `redis_client` did so far, on all loops together. */
struct redis_client_counts {
    std::uint64_t connections = 0;  ///< Connections made.
    std::uint64_t lost = 0;         ///< Of these, how many ended other than by us.
    std::uint64_t answers = 0;      ///< Commands that were answered.
};

/** Sends commands to a Redis server, many at a time over one connection, and finds the server again after it was lost.
 *
 *  Made anywhere and used on any loop: each loop has a connection of its own, made for the first command and shared by
 *  all coroutines there. Commands go out in the order in which they are given, as many as there are, without waiting
 *  for answers. While nothing is under way, nothing is done: an idle connection is looked at before it is used, and
 *  there is no attempt to connect while there is no command. Copies share everything.
 *
 *  @par Errors          From the constructor `errc::invalid_configuration`, if host, CA or certificate in the options
 *                       cannot be used, or a password would go to another machine without TLS.
 *  @par Thread safety   All operations from any OS thread; `call` and `run` are awaited on the loop that is to do the
 *                       work.
 *  @par Lifetimes       Commands under way may outlive it. Its connections are closed when the last copy goes, or with
 *                       the loop.
 */
class redis_client {
public:
    explicit redis_client(redis_options options = redis_options{});

    /** Replaces what opens connections; for tests and simulations. */
    using stream_factory = std::function<task<byte_stream>(std::chrono::nanoseconds limit)>;
    redis_client(redis_options options, stream_factory opens);

    /** Sends a command and waits for its answer.
     *
     *  @return   The answer; never of the kind `error`.
     *
     *  @par Errors
     *    - `errc::store_unavailable`      there was no connection in time, or the server is loading or busy; nothing
     *                                     was done. Of a command that reads only, also when its answer was lost.
     *    - `errc::store_outcome_unknown`  the command was sent, and no answer came.
     *    - `errc::store_full`             the server has no memory left.
     *    - `errc::store_refused`          the server refuses the password or the command; its words are in the message.
     *    - `errc::tls_untrusted`, `tls_expired`, `tls_wrong_host`, `tls_failed`   it is another server.
     *    - `errc::limit_reached`          too many commands wait.
     *    - `errc::cancelled`              a stop came.
     *  @par Cancellation    At once. A command that has not been sent is not sent; one that was takes place. */
    [[nodiscard]] task<redis_value> call(redis_command command) const;

    /** Runs a script as one step of the server.
     *
     *  @param keys   All keys that it uses.
     *  @par Errors          As those of `call`.
     *  @par Cancellation    As that of `call`. */
    [[nodiscard]] task<redis_value> run(redis_script script, std::vector<std::string> keys,
                                        std::vector<std::string> arguments) const;

    [[nodiscard]] redis_client_counts counts() const noexcept;
    /** Host and port, for messages. */
    [[nodiscard]] const std::string& endpoint() const noexcept;

private:
    struct handle;
    std::shared_ptr<const handle> handle_;
};

}  // namespace weft
