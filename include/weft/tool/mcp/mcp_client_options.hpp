#pragma once

#include <weft/async/retry_policy.hpp>
#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/tool/mcp/mcp_handshake.hpp>
#include <weft/tool/mcp/mcp_types.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

/** Which list of a server changed. */
enum class mcp_list { tools, resources, prompts };

/** How a client behaves, and who answers what servers ask and say. All functions are called on the client's loop. */
struct mcp_client_options {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    mcp_client_options() {}

    /** Answers a request of the server: its parameters in, the result out. The server reads the words of an error. */
    using request_handler = std::function<task<boost::json::value>(boost::json::object params)>;

    mcp_identity identity;
    mcp_era_choice era = mcp_era_choice::automatic;
    mcp_limits limits;

    /** How long a server may take to say that it does not understand the modern era. */
    std::chrono::nanoseconds discover_timeout = std::chrono::seconds{3};
    /** For the answer to `initialize`, and over HTTP for the discovery. */
    std::chrono::nanoseconds handshake_timeout = std::chrono::seconds{30};
    /** Of calls that say nothing else. */
    std::chrono::nanoseconds timeout = std::chrono::seconds{60};
    /** Between attempts to connect again to a server that is gone. `attempts_max` 0: never. The first connection is
     *  tried once. */
    retry_policy reconnect;
    /** How often a server may be lost in the life of the client. */
    int losses_max = 10;

    /** `roots/list`: which folders the server may work in. Empty: the client says that it has none to tell. */
    request_handler on_roots;
    /** `sampling/createMessage`: asks a model for the server. Empty: the client says that it cannot. */
    request_handler on_sampling;
    /** `elicitation/create` with a form: asks a person for the server. Empty: the client says that it cannot. */
    request_handler on_elicitation;

    std::function<void(const mcp_log_line&)> on_log;  ///< The server's log.
    std::string log_level;  ///< The least that the server is to log, e.g. `warning`; empty: as it likes.
    std::function<void(mcp_list)> on_list_changed;            ///< After the client has forgotten the list.
    std::function<void(std::string_view uri)> on_resource_updated;
    std::function<void(std::string_view what)> on_noise;  ///< What was dropped: banners, unknown answers, bad tools.
};

/** How one call is made. */
struct mcp_call_options {
    mcp_call_options() {}

    std::optional<std::chrono::nanoseconds> timeout;  ///< Unset: that of the client.
    /** Each progress starts the timeout anew, until so much time in all; unset: it does not. */
    std::optional<std::chrono::nanoseconds> timeout_max;
    /** Called for each progress that is more than the one before. Must not throw. */
    std::function<void(const mcp_progress&)> on_progress;
    /** The call may be made a second time if the answer to the first was lost: it changes nothing, or doing it twice is
     *  the same as once. */
    bool is_repeatable = false;
    boost::json::object meta;  ///< Goes along as `_meta`.
};

}  // namespace weft
