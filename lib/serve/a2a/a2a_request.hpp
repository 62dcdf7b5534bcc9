#pragma once

#include "a2a_dialect.hpp"
#include "a2a_fields.hpp"
#include "serve/http/route_description.hpp"

#include <weft/base/text/trace_context.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/** What clients of A2A ask for, read without I/O. All refusals are `http_error`s with a code of `a2a_code`, and name
 *  the JSON path within the parameters. */
namespace weft::serve_detail {

/** A call over JSON-RPC. */
struct a2a_rpc_call {
    boost::json::value id;        ///< A string, a whole number, or null.
    std::string method;           ///< Its name in 1.0.
    a2a_dialect dialect = a2a_dialect::v1;
    boost::json::object params;   ///< With the names that members have in 1.0, but for what a message holds.
};

/** The id that the answer to a call has, whatever else is wrong with it; null if it has none that is allowed. */
[[nodiscard]] boost::json::value a2a_rpc_id(const boost::json::value& body);
/** The methods by their names of both dialects, with what they take. */
[[nodiscard]] std::span<const rpc_method> a2a_rpc_methods();
/** @par Errors   `invalid_request`, `method_not_found`, `invalid_params`. */
[[nodiscard]] a2a_rpc_call read_a2a_rpc(const boost::json::value& body);

/** Refuses a version of the protocol that is not spoken here; an empty one is none of the client's wishes. */
void check_a2a_version(std::string_view version);

/** A message of a client. */
struct a2a_message {
    std::string id = {};
    std::string context = {};                    ///< Empty: a new one.
    std::string task = {};                       ///< Empty: a new one.
    std::vector<std::string> references = {};    ///< Tasks that it refers to.
    boost::json::array blocks = {};              ///< Its content as LangChain's blocks, for conversations.
    std::string text = {};                       ///< Of its parts that are texts.
    std::vector<boost::json::value> data = {};   ///< Of its parts that are data.
    boost::json::object metadata = {};
    boost::json::object told = {};               ///< In the form of 1.0, as histories show it.
    bool has_images = false;
    std::shared_ptr<const trace_context> trace = {};  ///< Of the request that it came in; null: none.
};

/** Where a client wants the end of a task sent. */
struct a2a_push_config {
    std::string id = {};  ///< Empty: the server gives it one.
    std::string task = {};
    std::string url = {};
    std::string token = {};
    std::string scheme = {};       ///< Of `Authorization`; empty: none.
    std::string credentials = {};
};

/** What `SendMessage` and `SendStreamingMessage` take. */
struct a2a_send {
    a2a_message message = {};
    std::string tenant = {};                      ///< The agent, where the path names none.
    std::optional<std::size_t> history_length = {};
    bool returns_at_once = false;
    std::optional<a2a_push_config> push = {};
};

[[nodiscard]] a2a_send read_a2a_send(const boost::json::object& params, a2a_dialect dialect);
[[nodiscard]] a2a_push_config read_a2a_push(const a2a_push_fields& fields, const boost::json::object& params);
[[nodiscard]] boost::json::object view_of(const a2a_push_config& config);

/** What `ListTasks` takes. */
struct a2a_list_query {
    std::string context = {};
    std::string tenant = {};                      ///< The agent, where the path names none.
    std::vector<run_phase> phases = {};           ///< Empty: any.
    bool finds_nothing = false;                   ///< A state that no task here can have.
    std::size_t page_size = 50;
    std::string page_token = {};
    std::size_t history_length = 0;
    std::optional<clock::system_time_point> changed_from = {};
    bool has_artifacts = false;
};
[[nodiscard]] a2a_list_query read_a2a_list(const boost::json::object& params);

/** How many messages of its history a client wants of a task; nothing: all. */
[[nodiscard]] std::optional<std::size_t> a2a_history_length(const number_field& from,
                                                            const boost::json::object& params);

}  // namespace weft::serve_detail
