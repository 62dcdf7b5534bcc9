#include "thread_ttl.hpp"

#include "serve/wire/views.hpp"

#include <boost/json/value.hpp>

#include <cmath>
#include <string>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::object;
using boost::json::value;

constexpr double ttl_minutes_max = 60.0 * 24 * 366 * 10;  // as in the schema
constexpr double milliseconds_a_minute = 60'000;

}  // namespace

const std::string_view ttl_schema_text = R"({
  "anyOf": [
    {"type": "number", "exclusiveMinimum": 0, "maximum": 5270400},
    {"type": "object",
     "properties": {
       "ttl": {"type": "number", "exclusiveMinimum": 0, "maximum": 5270400, "description": "Minutes from now on"},
       "strategy": {"type": ["string", "null"], "enum": ["delete", "keep_latest", null],
                    "description": "What becomes of the thread then; keep_latest leaves its newest checkpoint"}},
     "required": ["ttl"]}
  ]
})";

std::optional<wanted_ttl> read_ttl(const value_field& field, const object& body)
{
    const value* given = field.in(body);
    if (!given) return std::nullopt;
    wanted_ttl result{};
    if (const object* const told = given->if_object()) {
        const value* const strategy = told->if_contains("strategy");
        if (strategy && *strategy == value("keep_latest")) result.at_end = thread_end::keep_newest;
        else if (strategy && !strategy->is_null() && *strategy != value("delete"))
            field.refuse("strategy: expected one of delete, keep_latest");
        given = told->if_contains("ttl");
    }
    boost::system::error_code code;
    const double minutes = given ? given->to_number<double>(code) : 0;
    const bool is_span = given && given->is_number() && !code && minutes > 0 && minutes <= ttl_minutes_max;
    if (!is_span) field.refuse("expected minutes, more than 0 and at most ten years, or an object with them as ttl");
    // Up: a span of less than a millisecond is none that has passed.
    result.lifetime = std::chrono::milliseconds{std::llround(std::ceil(minutes * milliseconds_a_minute))};
    return result;
}

task<std::optional<object>> ttl_view(serve_core& core, stored_thread of)
{
    thread_lifetime_table lifetimes{core.stores.service->documents()};
    const std::optional<thread_lifetime> found = co_await lifetimes.find(std::move(of));
    std::optional<object> view;
    if (!found) co_return view;
    view.emplace();
    (*view)["strategy"] = found->at_end == thread_end::erase ? "delete" : "keep_latest";
    (*view)["ttl_minutes"] = static_cast<double>(found->lifetime.count()) / milliseconds_a_minute;
    (*view)["expires_at"] = iso_time(found->ends);
    co_return view;
}

}  // namespace weft::serve_detail
