#pragma once

#include <weft/tool/rpc/json_rpc.hpp>

#include <string>

namespace weft::mcp_detail {

/** Where the messages of one call go: lines of a pipe, or a stream over HTTP. Nothing here waits: what a client does
 *  not read is kept up to a bound. */
class outlet {
public:
    outlet() = default;
    outlet(const outlet&) = delete;
    outlet& operator=(const outlet&) = delete;
    virtual ~outlet() = default;

    /** @param mark       Names the message for a client that comes back; empty: counted.
     *  @param may_be_lost  If the client does not read. */
    virtual void send(std::string message, std::string mark, bool may_be_lost) = 0;
    /** The answer; nothing follows. */
    virtual void finish(const json_rpc_message& answer) = 0;
    /** There is no answer: the client has cancelled, or the call goes on elsewhere. */
    virtual void abort() = 0;
    virtual void name(std::string key) { (void)key; }
    virtual void close_connection() {}
};

}  // namespace weft::mcp_detail
