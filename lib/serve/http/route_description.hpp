#pragma once

#include "fields.hpp"

#include <weft/base/json.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <span>
#include <string_view>

namespace weft::serve_detail {

/** A JSON Schema of answers, which several routes share. */
struct named_schema {
    std::string_view name;  ///< In `components` of `/openapi.json`.
    boost::json::object (*make)();
};

/** For `named_schema::make`: JSON Schema as text, which has a name of its own. */
template <const auto& Text>
[[nodiscard]] boost::json::object schema_in()
{
    return parse_json(std::string_view{Text}).as_object();
}

/** What a route answers with when all goes well. */
struct good_answer {
    enum class form : std::uint8_t {
        json,     ///< What `of` says; any JSON, if that is null.
        list,     ///< A list of it.
        events,   ///< A stream of server-sent events.
        either,   ///< JSON or such a stream, as the client asks.
        nothing,  ///< No body.
        socket,   ///< A WebSocket.
    };

    form what = form::json;
    const named_schema* of = nullptr;
    int status = 200;
    std::string_view type = "application/json";  ///< Of JSON.
    int or_status = 0;  ///< Another good status, without a body; 0: none.
};

/** A method of JSON-RPC. */
struct rpc_method {
    std::string_view name;
    const field_set* params = nullptr;  ///< Null: nothing is said of them.
};

/** What `/openapi.json` tells of a route beside its path. What it takes is what reads it.
 *
 *  @par Lifetimes   What it points at outlives the route. */
struct route_description {
    std::string_view summary = {};     ///< A literal; empty: nothing is said of the route but its path.
    const field_set* query = nullptr;  ///< Null: it asks for none.
    const field_set* body = nullptr;   ///< Null: it reads none, if there is a summary.
    bool takes_list = false;           ///< A list of such bodies.
    bool is_partial = false;           ///< All members of the body may be left out: what is not named stays.
    good_answer answer = {};
    std::span<const rpc_method> methods = {};  ///< The body is a call of one of them.
    bool takes_results = false;        ///< Or the answer to a call of the server.
    bool has_own_errors = false;       ///< What is wrong is not told in the form that the other routes have.
};

}  // namespace weft::serve_detail
