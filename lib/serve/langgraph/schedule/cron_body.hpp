#pragma once

#include "serve/http/route_description.hpp"
#include "serve/run/serve_core.hpp"
#include "serve/wire/run_fields.hpp"

#include <weft/async/task.hpp>
#include <weft/store/service/cron_table.hpp>

#include <boost/json/object.hpp>

#include <array>
#include <string_view>

namespace weft::serve_detail {

/** As `cron_missed`. */
inline constexpr std::array<std::string_view, 3> missed_names{"one", "skip", "all"};

/** What a client says of a cron, beside what is about its runs. Of one that is there all of it may be left out. */
struct cron_fields : any_run_fields {
    using any_run_fields::any_run_fields;

    text_field schedule{*this, "schedule", "Five fields, such as 30 9 * * mon-fri", field_need::required};
    text_field time_zone{*this, "timezone", "Of the IANA database; UTC without it"};
    text_field end{*this, "end_time", "A moment after which no run begins"};
    flag_field is_enabled{*this, "enabled", "Whether runs begin"};
    word_field missed{*this, "missed", "Moments at which no server was there: one run for all, none, or all of them",
                      missed_names};
    word_field on_completion_of_run{*this, "on_run_completed", "What becomes of the thread of each run",
                                    on_completion_names};
};
[[nodiscard]] const cron_fields& cron_fields_of_body();

/** The form of a cron that clients get. */
extern const named_schema cron_schema;

/** Reads what a client says about a cron over what is known of it: what it does not name stays. The members of its runs
 *  (input, config, webhook, …) are its `cron::input`, as a body of `/runs`. `end_time` as null ends its end.
 *
 *  The moment of the next run is that after now, if anything was changed that it depends on.
 *
 *  @par Errors   `http_error` 422 with the member: a schedule, zone, moment or body of runs that is none, or an
 *                assistant that is not there. */
[[nodiscard]] task<cron> read_cron(serve_core& core, cron known, boost::json::object body);

/** Sets the next moment of a cron that this server has made, or changed, just now by the clock of the store, if that
 *  differs from the one that was used. @param local  What the clock of this server said. */
[[nodiscard]] task<void> time_by_store(serve_core& core, std::string tenant, std::string id, wall_time local);

/** Whether the thread of each run goes with it: of crons without a thread of their own, unless they say `keep`. */
[[nodiscard]] bool payload_forgets_thread(const boost::json::object& payload);

/** A cron as LangGraph's clients know it. */
[[nodiscard]] boost::json::object view_of(const cron& shown);

}  // namespace weft::serve_detail
