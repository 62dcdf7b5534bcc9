#pragma once

#include <weft/base/error.hpp>
#include <weft/store/redis/redis_value.hpp>

#include <cstddef>
#include <list>
#include <string>

namespace weft::redis_detail {

/** What waits for the answer to a command. The functions take note and resume no coroutine: they are called in the
 *  middle of reading. */
class pipeline_caller {
public:
    /** The answer; nothing follows. */
    virtual void on_reply(redis_value reply) = 0;
    /** There will be no answer; nothing follows. @param was_sent  Whether the server may have done it. */
    virtual void on_lost(const error& why, bool was_sent) = 0;

protected:
    pipeline_caller() = default;
    pipeline_caller(const pipeline_caller&) = default;
    pipeline_caller& operator=(const pipeline_caller&) = default;
    ~pipeline_caller() = default;
};

/** The commands of one connection after another: which wait to be sent, which wait for their answers, who for which.
 *  Does no I/O.
 *
 *  Answers come in the order of the commands. A command without a waiter keeps its place once it was sent, so that
 *  its answer goes to no other one.
 *
 *  @par Thread safety   None: it belongs to one loop.
 *  @par Lifetimes       A caller abandons its command before it goes.
 */
class redis_pipeline {
    struct entry {
        std::string command;
        pipeline_caller* caller;
        bool is_sent;
    };

public:
    using ticket = std::list<entry>::iterator;

    redis_pipeline(std::size_t commands_max, std::size_t bytes_max) noexcept
        : commands_max_{commands_max}, bytes_max_{bytes_max}
    {
    }

    /** Takes a command that is to be sent.
     *  @par Errors   `errc::limit_reached`  too many wait, or it is too long. */
    [[nodiscard]] ticket push(std::string command, pipeline_caller& caller);

    /** No caller waits for the answer any more. A command that was not sent will not be.
     *  Not after its caller was told. */
    void abandon(ticket command) noexcept;

    [[nodiscard]] static bool was_sent(ticket command) noexcept { return command->is_sent; }

    /** Appends commands to `text`, up to about `bytes_max` of them and at least one if there is one; from now on they
     *  are sent. */
    void take_batch(std::string& text, std::size_t bytes_max);

    /** Hands the answer to the oldest command that was sent to who waits for it.
     *  @return  False if no command waits for one. */
    [[nodiscard]] bool settle(redis_value reply);

    /** The connection is gone: tells all whose commands were sent. */
    void lose_sent(const error& why);
    /** There will be no connection: tells all whose commands were not. */
    void fail_unsent(const error& why);

    [[nodiscard]] bool has_unsent() const noexcept { return !unsent_.empty(); }
    [[nodiscard]] bool has_unanswered() const noexcept { return !sent_.empty(); }
    [[nodiscard]] std::size_t pending() const noexcept { return sent_.size() + unsent_.size(); }

private:
    std::size_t commands_max_;
    std::size_t bytes_max_;
    std::size_t unsent_bytes_ = 0;
    std::list<entry> unsent_;
    std::list<entry> sent_;
};

}  // namespace weft::redis_detail
