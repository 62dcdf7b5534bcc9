#pragma once

#include <weft/base/errc.hpp>

#include <exception>
#include <string>

namespace weft::serve_detail {

/** What a client is told of something that went wrong. */
struct refusal {
    int status = 500;
    std::string code = "internal_error";
    std::string message = "the server failed";
    bool is_of_server = false;  ///< The log should have the exception; the client does not.
    int retry_after_s = 0;      ///< For the header `Retry-After`; 0: none.
};

/** The status of an error that a client has caused, or may try again after; 0: it is the server's own affair. */
[[nodiscard]] int status_of_refusal(errc code) noexcept;

/** What an exception means for the client. Errors of stores, SQL and paths stay inside. */
[[nodiscard]] refusal refusal_for(const std::exception_ptr& thrown);

}  // namespace weft::serve_detail
