#pragma once

#include "call_stream.hpp"

#include <weft/async/task.hpp>
#include <weft/net/server/http_call.hpp>
#include <weft/tool/mcp/mcp_protocol.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace weft::mcp_detail {

/** Answers with a message as JSON. */
[[nodiscard]] task<void> reply_rpc(http_call& call, int status, const json_rpc_message& answer,
                                   http_headers headers = http_headers{});

/** How a stream is written to a connection. */
struct stream_manner {
    bool is_resumable = false;  ///< Events have ids.
    bool is_resumed = false;    ///< The client has come back, and knows where it was.
    mcp_era era = mcp_era::modern;
    std::uint64_t after = 0;    ///< The number of the piece that the client has.
    std::chrono::nanoseconds heartbeat{};
    std::chrono::milliseconds retry{};
};

/** Writes a stream to a connection, as events, until it is over, another connection reads it, or it is to be closed.
 *
 *  @par Lifetimes   The call outlives it, and it its tasks. */
class stream_writer {
public:
    stream_writer(http_call& call, std::shared_ptr<call_stream> from, stream_manner how);

    /** Waits a while for an answer that needs no stream. @return  Whether it is there, and was sent. */
    [[nodiscard]] task<bool> answer_at_once(serial_loop& loop, std::chrono::nanoseconds patience);
    [[nodiscard]] task<void> write_all(serial_loop& loop);

private:
    [[nodiscard]] std::string first_event() const;
    [[nodiscard]] std::string next_events();

    http_call& call_;
    std::shared_ptr<call_stream> from_;
    stream_manner how_;
    std::uint64_t reader_;
    std::uint64_t seen_;
    unsigned breaks_;
};

}  // namespace weft::mcp_detail
