#pragma once

#include <weft/net/url.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>

/** The client's half of A2A, decided without I/O: cards, messages, and what comes of a task. */
namespace weft::agent_detail {

/** How an agent is called. */
struct a2a_interface {
    weft::url at;
    bool is_rpc = true;      ///< JSON-RPC; else HTTP+JSON.
    bool is_legacy = false;  ///< In the dialect of 0.3.
    bool streams = false;
    std::string tenant = {};
};

/** The way of a card that is spoken here: of 1.0 JSON-RPC or HTTP+JSON, whatever stands first, else JSON-RPC of 0.3.
 *  @param where   For errors.
 *  @par Errors    `errc::unexpected_json`: it is no card; `errc::agent_refused`: it has no such way. */
[[nodiscard]] a2a_interface read_a2a_card(const boost::json::value& card, const std::string& where);

/** Where the card of an agent is. */
[[nodiscard]] url a2a_card_url(const url& agent);

/** A message to an agent. */
struct a2a_outgoing {
    std::string id = {};
    boost::json::array parts = {};  ///< In the form of 1.0: texts and data.
    std::string context = {};
    std::string task = {};
    std::string skill = {};
};

/** A request to an agent; without a body it is a GET. */
struct a2a_wire_request {
    weft::url target;
    std::string body = {};
};
[[nodiscard]] a2a_wire_request a2a_send_request(const a2a_interface& to, const a2a_outgoing& words);
[[nodiscard]] a2a_wire_request a2a_get_request(const a2a_interface& to, const std::string& task);

/** What an answer, or an event of a stream, holds.
 *  @par Errors   `errc::agent_refused` with the words of the agent, `errc::http_unavailable` for a failure of its own;
 *                `errc::invalid_json`, `errc::unexpected_json`. */
[[nodiscard]] boost::json::object a2a_result(const a2a_interface& from, std::string_view text,
                                             const std::string& where);

}  // namespace weft::agent_detail
