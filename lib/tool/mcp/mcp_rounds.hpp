#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/** Something that a server wants to know before it answers a request of the modern era. */
struct mcp_input_request {
    std::string key{};     ///< The server's name for it.
    std::string method{};  ///< `elicitation/create`, `sampling/createMessage` or `roots/list`.
    boost::json::object params{};
};

/** A request of the modern era that a server may answer with questions: what to send in each round. Does no I/O.
 *
 *      while (!rounds.take(result)) {
 *          collect answers to rounds.requests(); wait if there are none
 *          send rounds.next(answers) as a new request
 *      }
 *
 *  The server's `requestState` goes back as it came, and only if it came.
 *
 *  @par Errors          `errc::invalid_mcp_message` for a kind of result that is not known; `errc::limit_reached` when
 *                       the server asks in more rounds than allowed.
 *  @par Source          MCP 2026-07-28, "Multi round-trip requests".
 */
class mcp_rounds {
public:
    /** @param params      Of the request as it was first sent.
     *  @param rounds_max  How often the server may ask. */
    mcp_rounds(boost::json::object params, std::size_t rounds_max);

    /** Looks at what a round came to. @return True if `result` is the answer. */
    [[nodiscard]] bool take(const boost::json::object& result);

    /** What the server asked; empty if it only wants the request again, later. */
    [[nodiscard]] const std::vector<mcp_input_request>& requests() const noexcept { return requests_; }

    using answer = std::pair<std::string, boost::json::value>;
    /** The parameters of the next round. */
    [[nodiscard]] boost::json::object next(std::vector<answer> answers) const;

    /** How often the server has asked. */
    [[nodiscard]] std::size_t rounds() const noexcept { return rounds_; }

private:
    boost::json::object params_;
    std::size_t rounds_max_;
    std::size_t rounds_ = 0;
    std::vector<mcp_input_request> requests_;
    boost::json::value state_;
};

}  // namespace weft
