#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/** What stands in the file of a cassette. Times are milliseconds since the request began. */
namespace weft::net_detail {

/** Bytes: as JSON if they are, else as text if they are UTF-8, else in base64. */
struct recorded_bytes {
    std::optional<boost::json::value> json;
    std::optional<std::string> text;
    std::optional<std::string> base64;
};
BOOST_DESCRIBE_STRUCT(recorded_bytes, (), (json, text, base64))

using recorded_headers = std::vector<std::pair<std::string, std::string>>;

/** A request without its secrets. */
struct recorded_request {
    std::string method;
    std::string url;
    recorded_headers headers;
    std::optional<recorded_bytes> body;
};
BOOST_DESCRIBE_STRUCT(recorded_request, (), (method, url, headers, body))

/** A piece of a response's body. */
struct recorded_chunk {
    std::int64_t ms = 0;
    std::optional<std::string> text;
    std::optional<std::string> base64;
};
BOOST_DESCRIBE_STRUCT(recorded_chunk, (), (ms, text, base64))

struct recorded_response {
    std::int64_t ms = 0;
    int status = 0;
    std::string reason;
    recorded_headers headers;
    std::vector<recorded_chunk> chunks;
};
BOOST_DESCRIBE_STRUCT(recorded_response, (), (ms, status, reason, headers, chunks))

enum class exchange_end {
    complete,  ///< The whole response was read.
    closed,    ///< The caller wanted no more.
    failed,    ///< With an error.
};
BOOST_DESCRIBE_ENUM(exchange_end, complete, closed, failed)

struct recorded_end {
    std::int64_t ms = 0;
    exchange_end how = exchange_end::complete;
    std::optional<std::string> error;   ///< The name of an `errc`, if it failed.
    std::optional<std::string> detail;
};
BOOST_DESCRIBE_STRUCT(recorded_end, (), (ms, how, error, detail))

struct recorded_exchange {
    recorded_request request;
    std::optional<recorded_response> response;  ///< None if it failed before there was one.
    recorded_end end;
};
BOOST_DESCRIBE_STRUCT(recorded_exchange, (), (request, response, end))

}  // namespace weft::net_detail
