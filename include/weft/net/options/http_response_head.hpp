#pragma once

#include <weft/net/text/http_headers.hpp>

#include <string>

namespace weft {

/** What a server says before the body: status, reason and headers.
 *
 *  @par Thread safety   As a value.
 */
struct http_response_head {
    int status = 0;       ///< 200…999; interim answers (1xx) are skipped.
    std::string reason;   ///< May be empty and means nothing to programs.
    http_headers headers;

    /** 200…299. */
    [[nodiscard]] bool is_success() const noexcept { return status >= 200 && status < 300; }

    /** The type of the body in lower case without parameters: `text/event-stream`; empty if the server names none. */
    [[nodiscard]] std::string media_type() const { return headers.media_type(); }
};

}  // namespace weft
