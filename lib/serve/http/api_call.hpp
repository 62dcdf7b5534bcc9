#pragma once

#include <weft/async/task.hpp>
#include <weft/net/server/http_call.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::serve_detail {

/** A request to one of the routes: the variable parts of its path, its query, its body as JSON.
 *
 *  @par Lifetimes   The call of the HTTP server outlives it. */
class api_call {
public:
    api_call(http_call& http, std::vector<std::string> parts) : http_{http}, parts_{std::move(parts)} {}

    [[nodiscard]] http_call& http() noexcept { return http_; }
    /** A variable part of the path, decoded, by its place from 0. */
    [[nodiscard]] const std::string& part(std::size_t index) const { return parts_.at(index); }
    /** A value of the query, decoded; nothing if it is not there. */
    [[nodiscard]] std::optional<std::string> query(std::string_view name) const;
    /** The same as a number. @par Errors  `http_error` 422: it is none, or outside of the range. */
    [[nodiscard]] std::size_t query_number(std::string_view name, std::size_t otherwise, std::size_t max) const;

    /** Reads the body as a JSON object; an empty body is an empty object.
     *  @par Errors  `http_error`: 415 it is not said to be JSON, 422 it is none, or no object; those of `read_body`. */
    [[nodiscard]] task<boost::json::object> read_object();

    [[nodiscard]] task<void> reply(int status, const boost::json::value& body);
    /** The same with a header more. */
    [[nodiscard]] task<void> reply(int status, const boost::json::value& body, std::string header, std::string value);
    /** Without a body. */
    [[nodiscard]] task<void> reply_nothing(int status);

private:
    http_call& http_;
    std::vector<std::string> parts_;
};

}  // namespace weft::serve_detail
