#include "scripted_endpoint_parser.hpp"

#include <weft/base/json/json_reading.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>

#include <utility>

namespace weft::testing {

namespace http = boost::beast::http;

namespace {

constexpr std::uint32_t head_bytes_max = 64 * 1024;
constexpr std::uint64_t body_bytes_max = 64 * 1024 * 1024;

// A body that is no JSON is a mistake of the client under test, which a rule may want to see.
boost::json::value json_or_null(const std::string& text)
{
    return try_parse_json(text).value_or(nullptr);
}

}  // namespace

void scripted_endpoint_parser::reset()
{
    parser_.emplace();
    parser_->eager(true);
    parser_->header_limit(head_bytes_max);
    parser_->body_limit(body_bytes_max);
    was_told_to_continue_ = false;
}

// curl asks before it sends a body of more than a kilobyte, and waits a second for the answer.
bool scripted_endpoint_parser::wants_continue() const
{
    return parser_->is_header_done() &&
           boost::beast::iequals(parser_->get()[http::field::expect], "100-continue");
}

// It takes no more than one request: what follows in the input belongs to the next.
auto scripted_endpoint_parser::feed(std::string& input) -> state
{
    boost::beast::error_code error;
    std::size_t taken = 0;
    while (taken < input.size() && !parser_->is_done() && !error)
        taken += parser_->put(boost::asio::buffer(input.data() + taken, input.size() - taken), error);
    input.erase(0, taken);
    if (error && error != http::error::need_more) {
        failure_ = error.message();
        return state::failed;
    }
    if (parser_->is_done()) return state::done;
    if (!wants_continue() || std::exchange(was_told_to_continue_, true)) return state::needs_more;
    return state::wants_continue;
}

scripted_endpoint_request scripted_endpoint_parser::take()
{
    http::request<http::string_body> message = parser_->release();
    reset();
    scripted_endpoint_request request;
    request.received = std::chrono::steady_clock::now();
    request.method = std::string{message.method_string()};
    request.target = std::string{message.target()};
    for (const auto& field : message)
        request.headers.emplace_back(field.name_string(), field.value());
    request.body = std::move(message.body());
    if (!request.body.empty()) request.json = json_or_null(request.body);
    return request;
}

}  // namespace weft::testing
