#pragma once

#include <weft/net/text/http_headers.hpp>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace weft {

/** An answer that refuses a request, thrown by a handler: the client gets the status and
 *  `{"error":{"code":…,"message":…}}`.
 *
 *      throw weft::http_error{404, "thread_not_found", "there is no thread " + id};
 *
 *  What other exceptions say stays inside the server: the client gets 500 and no more.
 *
 *  @par Thread safety   As a value.
 */
class http_error : public std::runtime_error {
public:
    /** @param status   400…599.
     *  @param code     What programs look at: a name of letters and `_`.
     *  @param message  What people read; it must tell nothing that the client may not know. */
    http_error(int status, std::string code, const std::string& message)
        : std::runtime_error{message}, status_{status}, code_{std::move(code)}
    {
    }

    /** Adds a header to the answer: `Retry-After`, `Allow`. */
    http_error& header(std::string_view name, std::string_view value)
    {
        headers_.set(name, value);
        return *this;
    }

    [[nodiscard]] int status() const noexcept { return status_; }
    [[nodiscard]] const std::string& code() const noexcept { return code_; }
    [[nodiscard]] const http_headers& headers() const noexcept { return headers_; }

private:
    int status_;
    std::string code_;
    http_headers headers_;
};

}  // namespace weft
