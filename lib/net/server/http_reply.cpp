#include <weft/net/server/http_reply.hpp>

#include <algorithm>
#include <array>

namespace weft {

namespace {

struct named_status {
    int status;
    std::string_view reason;
};

constexpr std::array reasons{
    named_status{100, "Continue"},
    named_status{101, "Switching Protocols"},
    named_status{200, "OK"},
    named_status{201, "Created"},
    named_status{202, "Accepted"},
    named_status{204, "No Content"},
    named_status{206, "Partial Content"},
    named_status{301, "Moved Permanently"},
    named_status{302, "Found"},
    named_status{303, "See Other"},
    named_status{304, "Not Modified"},
    named_status{307, "Temporary Redirect"},
    named_status{308, "Permanent Redirect"},
    named_status{400, "Bad Request"},
    named_status{401, "Unauthorized"},
    named_status{403, "Forbidden"},
    named_status{404, "Not Found"},
    named_status{405, "Method Not Allowed"},
    named_status{406, "Not Acceptable"},
    named_status{408, "Request Timeout"},
    named_status{409, "Conflict"},
    named_status{410, "Gone"},
    named_status{411, "Length Required"},
    named_status{412, "Precondition Failed"},
    named_status{413, "Content Too Large"},
    named_status{414, "URI Too Long"},
    named_status{415, "Unsupported Media Type"},
    named_status{417, "Expectation Failed"},
    named_status{421, "Misdirected Request"},
    named_status{422, "Unprocessable Content"},
    named_status{426, "Upgrade Required"},
    named_status{428, "Precondition Required"},
    named_status{429, "Too Many Requests"},
    named_status{431, "Request Header Fields Too Large"},
    named_status{500, "Internal Server Error"},
    named_status{501, "Not Implemented"},
    named_status{502, "Bad Gateway"},
    named_status{503, "Service Unavailable"},
    named_status{504, "Gateway Timeout"},
    named_status{505, "HTTP Version Not Supported"},
    named_status{507, "Insufficient Storage"},
};

}  // namespace

std::string_view http_reason(int status) noexcept
{
    const auto found =
        std::lower_bound(reasons.begin(), reasons.end(), status,
                         [](const named_status& reason, int wanted) { return reason.status < wanted; });
    return found != reasons.end() && found->status == status ? found->reason : std::string_view{};
}

}  // namespace weft
