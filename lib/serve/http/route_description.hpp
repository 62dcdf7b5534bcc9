#pragma once

#include "fields.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <string_view>

namespace weft::serve_detail {

/** A JSON Schema of answers, which several routes share. */
struct named_schema {
    std::string_view name;  ///< In `components` of `/openapi.json`.
    boost::json::object (*make)();
};

/** What a route answers with when all goes well. */
struct good_answer {
    enum class form : std::uint8_t {
        json,     ///< What `of` says; any JSON, if that is null.
        list,     ///< A list of it.
        events,   ///< A stream of server-sent events.
        nothing,  ///< No body.
        socket,   ///< A WebSocket.
    };

    form what = form::json;
    const named_schema* of = nullptr;
    int status = 200;
    int or_status = 0;  ///< Another good status, without a body; 0: none.
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
    bool has_own_errors = false;       ///< What is wrong is not told in the form that the other routes have.
};

}  // namespace weft::serve_detail
