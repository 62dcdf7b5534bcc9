#pragma once

#include "serve/feed/run_feed.hpp"

#include <weft/tool/mcp_server/mcp_server_context.hpp>

#include <cstdint>
#include <string>

namespace weft::serve_detail {

/** Tells the client of a call what happens in its run: progress for nodes, log lines for what they emit. The mark of
 *  each message is the id of its event. */
class run_teller {
public:
    /** @param behind   The event that the client has already; what was before it is counted and not told. */
    run_teller(mcp_server_context& to, std::uint64_t behind) noexcept : to_{to}, behind_{behind} {}

    void tell(const feed_event& event);

private:
    void tell_step(const run_event& event, std::string message);
    void tell_output(const run_event& event);

    mcp_server_context& to_;
    std::uint64_t behind_;
    std::uint64_t steps_ = 0;
};

}  // namespace weft::serve_detail
