#pragma once

#include "serve/http/fields.hpp"
#include "serve/run/serve_core.hpp"

#include <weft/async/task.hpp>
#include <weft/store/record/stored_thread.hpp>
#include <weft/store/service/thread_lifetime_table.hpp>

#include <boost/json/object.hpp>

#include <chrono>
#include <optional>
#include <string_view>

namespace weft::serve_detail {

/** How long a thread is to stay, as clients say it. */
struct wanted_ttl {
    std::chrono::milliseconds lifetime;
    thread_end at_end = thread_end::erase;
};

/** The schema of `ttl`: minutes, or an object with them and a strategy. */
extern const std::string_view ttl_schema_text;

/** Reads `ttl`; nothing: the client says nothing about it. @par Errors  `http_error` 422 with the place. */
[[nodiscard]] std::optional<wanted_ttl> read_ttl(const value_field& field, const boost::json::object& body);

/** How long a thread stays, as clients know it: `strategy`, `ttl_minutes`, `expires_at`; nothing: for ever. */
[[nodiscard]] task<std::optional<boost::json::object>> ttl_view(serve_core& core, stored_thread of);

}  // namespace weft::serve_detail
