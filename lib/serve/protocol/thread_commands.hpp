#pragma once

#include "command_fields.hpp"
#include "serve/run/serve_core.hpp"

#include <weft/async/task.hpp>

#include <boost/json/object.hpp>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace weft::serve_detail {

/** What is wrong with a command, in the words of the protocol. */
class command_error : public std::runtime_error {
public:
    command_error(std::string code, const std::string& message) : std::runtime_error{message}, code_{std::move(code)} {}
    [[nodiscard]] const std::string& code() const noexcept { return code_; }

private:
    std::string code_;
};

/** Who gives a command, and about which thread. */
struct command_caller {
    thread_key thread;
    std::function<void(std::string action)> audit = {};  ///< Has the audit log tell what was done; may be null.
    /** Asks whether the caller may do that with threads, and counts it as a request; null: that is decided already.
     *  @return      Held until it is done.
     *  @par Errors  `http_error` 403, 429. */
    std::function<caller_gate::pass(std::string_view action)> admit = {};
};

/** Commands that only one connection has, as those about its subscriptions. Nothing: it is another command. */
using connection_commands =
    std::function<task<std::optional<boost::json::object>>(std::string method, boost::json::object params)>;

/** Carries out a command of the second protocol and answers it: `run.start`, `input.respond`, `agent.getTree`,
 *  and `surroundings.tell`, which is weft's own.
 *
 *  @param given  The command: `id`, `method`, `params`.
 *  @param own    Asked first; may be null.
 *  @return       `type`, `id`, and `result`, or `error` and `message`. Without a valid id it is an error whose id is
 *                null.
 *
 *  @par Errors      What only concerns the server.
 *  @par Lifetimes   The core outlives the task, and so does what `own` and `caller` refer to. */
[[nodiscard]] task<boost::json::object> answer_command(serve_core& core, command_caller caller,
                                                       boost::json::object given, connection_commands own);

/** What a command has. */
[[nodiscard]] const thread_command_fields& thread_command_of_message();

/** The answer to a command that failed. */
[[nodiscard]] boost::json::object command_fault(boost::json::value id, std::string_view code,
                                                std::string_view message);

}  // namespace weft::serve_detail
