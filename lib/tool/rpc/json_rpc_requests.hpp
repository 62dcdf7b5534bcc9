#pragma once

#include <weft/base/error.hpp>
#include <weft/tool/rpc/json_rpc.hpp>

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace weft {

/** What waits for the answer to a request. The functions take note and resume nothing: they are called in the middle of
 *  reading. */
class json_rpc_caller {
public:
    /** The answer, a result or an error; nothing follows. */
    virtual void on_answer(json_rpc_message answer) = 0;
    /** The parameters of a `notifications/progress` for the request. */
    virtual void on_progress(const boost::json::object& params) = 0;
    /** There will be no answer: the connection is gone, or the answer could not be read. Nothing follows. */
    virtual void on_lost(const error& why) = 0;

protected:
    json_rpc_caller() = default;
    json_rpc_caller(const json_rpc_caller&) = default;
    json_rpc_caller& operator=(const json_rpc_caller&) = default;
    ~json_rpc_caller() = default;
};

/** The requests under way in one direction of a connection: who waits for which answer. Does no I/O.
 *
 *  Ids count up from 0 and are never used twice, so that an answer which comes too late is dropped. The token of a
 *  request's progress is its id.
 *
 *  @par Thread safety   None: it belongs to one loop.
 *  @par Lifetimes       A caller closes its request before it goes.
 */
class json_rpc_requests {
public:
    explicit json_rpc_requests(std::size_t pending_max = 1024) noexcept : pending_max_{pending_max} {}

    /** Takes note of a request that is about to be sent.
     *  @return  Its id.
     *  @par Errors   `errc::limit_reached`  `pending_max` requests wait for their answers. */
    [[nodiscard]] std::int64_t open(json_rpc_caller& caller);

    /** The caller does not wait for the answer any more. */
    void close(std::int64_t id) noexcept { waiting_.erase(id); }

    /** Hands an answer to who waits for it, in whatever order answers come.
     *  @return  False, and the answer is dropped, if none waits: its id is unknown, was answered, or was closed. */
    bool settle(json_rpc_message answer);

    /** The answer of a request came and could not be read: who waits for it is told why.
     *  @return  False if none waits. */
    bool fail(const json_rpc_id& id, const error& why);

    /** Hands on the parameters of a `notifications/progress`. @return False if their token is of no open request. */
    bool progress(const boost::json::object& params);

    /** The connection is gone: tells all who wait, and forgets them. */
    void lose(const error& why);

    [[nodiscard]] bool is_open(std::int64_t id) const noexcept { return waiting_.contains(id); }
    [[nodiscard]] std::size_t pending() const noexcept { return waiting_.size(); }
    /** How many answers were dropped. */
    [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }

private:
    std::size_t pending_max_;
    std::int64_t next_id_ = 0;
    std::uint64_t dropped_ = 0;
    std::unordered_map<std::int64_t, json_rpc_caller*> waiting_;
};

}  // namespace weft
