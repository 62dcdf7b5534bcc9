#include "mcp_rounds.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_peek.hpp>

#include "tool/rpc/mcp_text.hpp"

namespace weft {

namespace {

/** More questions at once are no questions any more. */
constexpr std::size_t input_requests_max = 32;

mcp_input_request read_input_request(std::string_view key, const boost::json::value& from)
{
    const boost::json::object* in = from.if_object();
    mcp_input_request read;
    read.key = key;
    if (in) read.method = peek_text(*in, "method");
    if (read.method.empty())
        throw error{errc::invalid_mcp_message, {},
                    "an input request has no method: '" + mcp_detail::harmless_text(key, 100) + "'"};
    if (const boost::json::object* params = peek_object(*in, "params")) read.params = *params;
    return read;
}

}  // namespace

mcp_rounds::mcp_rounds(boost::json::object params, std::size_t rounds_max)
    : params_{std::move(params)}, rounds_max_{rounds_max}
{
}

bool mcp_rounds::take(const boost::json::object& result)
{
    const boost::json::value* given = peek_member(result, "resultType");
    if (!given) return true;
    const std::string_view type = peek_text(result, "resultType");
    if (type == "complete") return true;
    if (type != "input_required")
        throw error{errc::invalid_mcp_message, {},
                    "the result is of the unknown type '" + mcp_detail::harmless_text(type, 40) + "'"};
    if (++rounds_ > rounds_max_)
        throw error{errc::limit_reached, {},
                    "the server asked for input more than " + std::to_string(rounds_max_) + " times"};
    requests_.clear();
    if (const boost::json::object* asked = peek_object(result, "inputRequests")) {
        if (asked->size() > input_requests_max)
            throw error{errc::limit_reached, {}, "the server asks for too many inputs at once"};
        for (const auto& [key, request] : *asked) requests_.push_back(read_input_request(key, request));
    }
    const boost::json::value* state = peek_member(result, "requestState");
    state_ = state ? *state : boost::json::value{};
    return false;
}

boost::json::object mcp_rounds::next(std::vector<answer> answers) const
{
    boost::json::object params = params_;
    if (!answers.empty()) {
        boost::json::object responses;
        for (answer& one : answers) responses[one.first] = std::move(one.second);
        params["inputResponses"] = std::move(responses);
    }
    if (!state_.is_null()) params["requestState"] = state_;
    return params;
}

}  // namespace weft
