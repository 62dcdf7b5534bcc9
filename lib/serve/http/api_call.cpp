#include "api_call.hpp"

#include "url_text.hpp"

#include <weft/async/task/yield_now.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json/json_reading.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/json/serialize.hpp>

#include <utility>

namespace weft::serve_detail {

namespace {

constexpr std::size_t slice_bytes = 64 * 1024;  // of a body, before the loop has its turn

bool reads_all(json_pieces& pieces)
{
    try {
        return pieces.read(slice_bytes);
    } catch (const error& wrong) {
        throw http_error{422, "invalid_json", std::string{"body: "} + wrong.what()};
    }
}

}  // namespace

std::shared_ptr<const trace_context> api_call::trace() const
{
    const http_headers& headers = http_.headers();
    const auto parent = headers.find("traceparent");
    if (!parent) return nullptr;
    std::optional<trace_context> read = trace_context::read(*parent, headers.find("tracestate").value_or(""));
    return read ? std::make_shared<const trace_context>(std::move(*read)) : nullptr;
}

std::optional<std::string> api_call::query(std::string_view name) const
{
    return query_value(http_.head().query(), name);
}

/** A large body is read in slices: the loop has other work. */
task<std::optional<boost::json::value>> api_call::read_json()
{
    const std::string text = co_await http_.read_body();
    if (text.empty()) co_return std::nullopt;
    // Forms of other sites can send types of their own, and none of these, without asking the browser's leave.
    const std::string type = http_.headers().media_type();
    if (type != "application/json" && !(type.starts_with("application/") && type.ends_with("+json")))
        throw http_error{415, "unsupported_media_type", "the body must be application/json"};
    json_pieces pieces{text};
    while (!reads_all(pieces)) co_await yield_now();
    co_return pieces.take();
}

task<boost::json::object> api_call::read_object()
{
    std::optional<boost::json::value> body = co_await read_json();
    // Clients leave the body out where all members have defaults.
    if (!body) co_return boost::json::object{};
    if (!body->is_object()) throw http_error{422, "invalid_json", "body: expected a JSON object"};
    co_return std::move(body->get_object());
}

task<boost::json::array> api_call::read_array()
{
    std::optional<boost::json::value> body = co_await read_json();
    if (!body || !body->is_array()) throw http_error{422, "invalid_json", "body: expected a JSON list"};
    co_return std::move(body->get_array());
}

task<void> api_call::reply(int status, const boost::json::value& body)
{
    http_reply answer{status, boost::json::serialize(body), "application/json"};
    return http_.reply(std::move(answer));
}

task<void> api_call::reply(int status, const boost::json::value& body, std::string header, std::string value)
{
    http_reply answer{status, boost::json::serialize(body), "application/json"};
    answer.headers.set(header, value);
    return http_.reply(std::move(answer));
}

task<void> api_call::reply_text(int status, std::string json)
{
    http_reply answer{status, std::move(json), "application/json"};
    return http_.reply(std::move(answer));
}

task<void> api_call::reply_nothing(int status)
{
    http_reply answer{status};
    return http_.reply(std::move(answer));
}

}  // namespace weft::serve_detail
