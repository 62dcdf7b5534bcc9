#pragma once

#include <weft/testing/endpoint/scripted_endpoint_request.hpp>

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace weft::testing {

/** Reads requests out of the bytes of a connection. */
class scripted_endpoint_parser {
public:
    enum class state {
        needs_more,
        wants_continue,  ///< As `needs_more`, and the client waits for a `100 Continue`; said once.
        done,            ///< `take` has the request.
        failed,          ///< These bytes are no request; `failure` says why.
    };

    scripted_endpoint_parser() { reset(); }

    /** Takes bytes from the front of `input`. */
    state feed(std::string& input);

    /** Hands the request over and is ready for the next one. */
    [[nodiscard]] scripted_endpoint_request take();
    /** Whether the connection can be used after the request; ask before `take`. */
    [[nodiscard]] bool keeps_alive() const { return parser_->keep_alive(); }
    [[nodiscard]] std::string failure() const { return failure_; }

private:
    using parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

    void reset();
    [[nodiscard]] bool wants_continue() const;

    std::optional<parser> parser_;
    bool was_told_to_continue_ = false;
    std::string failure_;
};

}  // namespace weft::testing
