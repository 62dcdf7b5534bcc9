#pragma once

#include <weft/async/retry_policy.hpp>
#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/store/role/document_store.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weft {

/** A message that has to reach a URL. */
struct outbox_message {
    std::string tenant;
    std::string id;       ///< Unique in the tenant; also the idempotency key for the other side.
    std::string url;
    std::string payload;  ///< A JSON object.
    std::uint64_t attempts = 0;  ///< That have failed.
    std::string last_error;      ///< Of the last of them; for people.
    std::uint64_t revision = 0;  ///< Who has taken it: set by `take`.
};

/** What became of a message that was not delivered. */
enum class outbox_state : std::uint8_t {
    again,  ///< It is tried again later.
    dead,   ///< Its attempts are used up: it waits for a person.
    lost,   ///< Another process has taken it since, or it is gone.
};

/** Messages on their way to other servers, in a `document_store`: they are delivered at least once, whatever crashes.
 *
 *      for (outbox_message& each : co_await outbox.take(lease, 16)) …
 *
 *  A process takes messages for a while; one that dies leaves them to the others. A message whose attempts are used up
 *  is kept as dead, to be looked at and sent again.
 *
 *  @par Errors          As `document_store`.
 *  @par Thread safety   As `document_store`.
 *  @par Lifetimes       The store outlives it.
 */
class webhook_outbox {
public:
    explicit webhook_outbox(document_store& documents) noexcept : documents_{documents} {}

    /** Adds a message, to be sent at once. @return False if there is one of this id, also a dead one. */
    [[nodiscard]] task<bool> add(outbox_message message);
    /** Takes messages whose time has come, for `lease`. */
    [[nodiscard]] task<std::vector<outbox_message>> take(std::chrono::milliseconds lease, std::size_t count_max);
    /** The message has arrived. @return False if it was no longer ours; it may be sent again. */
    [[nodiscard]] task<bool> delivered(outbox_message taken);
    /** The message has not arrived. @param retries  How often it is tried, and the delays in between. */
    [[nodiscard]] task<outbox_state> failed(outbox_message taken, std::string why, retry_policy retries);
    /** Dead messages, the newest first. */
    [[nodiscard]] task<std::vector<outbox_message>> dead(std::string tenant, std::size_t count_max);
    /** Sends a dead message again, with all its attempts. @return False if there is none. */
    [[nodiscard]] task<bool> revive(std::string tenant, std::string id);

private:
    document_store& documents_;
};

}  // namespace weft
