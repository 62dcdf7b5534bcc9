#pragma once

#include "redis_link.hpp"
#include "redis_pipeline.hpp"
#include "redis_request.hpp"

#include <weft/async/scope.hpp>
#include <weft/store/redis_client.hpp>

#include <atomic>
#include <memory>
#include <optional>

namespace weft::redis_detail {

/** What the copies of a client and its sessions share. */
struct redis_shared {
    redis_options options;
    std::string endpoint;
    redis_client::stream_factory opens;
    std::atomic<std::uint64_t> connections{0};
    std::atomic<std::uint64_t> lost{0};
    std::atomic<std::uint64_t> answers{0};
};

/** A client on one loop: its commands, and one connection after another.
 *
 *  What goes on between calls (connecting, sending, reading) are children of a scope of its own, which end with it.
 *  While no command is under way they wait for one, and nothing keeps the loop running.
 *
 *  @par Thread safety   None: it belongs to its loop.
 *  @par Lifetimes       Held by its client and by every call.
 */
class redis_session : public std::enable_shared_from_this<redis_session> {
public:
    redis_session(serial_loop& loop, std::shared_ptr<redis_shared> shared);
    redis_session(const redis_session&) = delete;
    redis_session& operator=(const redis_session&) = delete;

    [[nodiscard]] serial_loop& loop() const noexcept { return loop_; }

    /** As `redis_client::call`; a refusal of the server is a value here. */
    [[nodiscard]] task<redis_value> ask(redis_command command);

private:
    task<void> serve();
    task<bool> serve_once();
    task<void> open();
    task<void> greet(std::shared_ptr<redis_link> link);
    task<void> converse(std::shared_ptr<redis_link> link);
    task<void> write_commands(std::shared_ptr<redis_link> link);
    task<void> read_replies(std::shared_ptr<redis_link> link);
    void accept_replies(redis_link& link);
    [[nodiscard]] error why_not(const redis_command& command, const redis_request& request) const;

    serial_loop& loop_;
    std::shared_ptr<redis_shared> shared_;
    redis_pipeline pipeline_;
    signal unsent_;       // there is a command to be sent
    signal unanswered_;   // there is an answer to be read
    std::optional<error> no_connection_;  // why there is none, since the last one
    std::shared_ptr<redis_link> link_;
    bool is_serving_ = false;
    bool was_useful_ = false;  // the connection has answered a command
    stop_scope stop_;
    task_context context_{nullptr, &stop_};
    std::optional<scope> children_;  // last: its children use everything above
};

}  // namespace weft::redis_detail
