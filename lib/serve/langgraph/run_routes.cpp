#include "run_routes.hpp"

#include "run_answers.hpp"
#include "serve/order/run_orders.hpp"
#include "serve/order/runs.hpp"
#include "serve/http/bound_route.hpp"
#include "serve/http/url_text.hpp"
#include "serve/wire/page_fields.hpp"
#include "serve/wire/run_notes.hpp"
#include "serve/wire/view_schemas.hpp"
#include "serve/wire/views.hpp"
#include "serve/order/threads.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::array<std::string_view, 5> run_status_names{"pending", "running", "success", "error", "interrupted"};

struct run_list_fields : paged<field_set> {
    using paged::paged;

    word_field status{*this, "status", "Only runs of this status", run_status_names};
};
const run_list_fields run_list{"query"};

struct cancel_fields : field_set {
    using field_set::field_set;

    flag_field waits{*this, "wait", "Whether the answer comes when the run is over"};
};
const cancel_fields run_cancel{"query"};

struct join_fields : field_set {
    using field_set::field_set;

    flag_field stops{*this, "cancel_on_disconnect", "Whether the run is cancelled when the client goes"};
};
const join_fields run_join{"query"};

struct join_stream_fields : join_fields {
    using join_fields::join_fields;

    text_field modes{*this, "stream_mode", "Modes: again and again, with commas, or a list as JSON"};
};
const join_stream_fields run_stream_join{"query"};

langgraph_follower follower_of(const run_body& body)
{
    langgraph_follower follower;
    follower.view = body.view;
    follower.is_start = true;
    follower.stops_with_client = body.stops_with_client;
    return follower;
}

void note_answer(api_call& call, const run_order& order)
{
    if (order.what == run_order::kind::answer) call.audit("threads.answer");
}

/** Begins a run and gives what follows it. What the run told before it waited is known to the client. */
void launch_for(serve_core& core, api_call& call, langgraph_follower& follower, run_order order)
{
    note_answer(call, order);
    order.trace = call.trace();
    if (order.thread)
        // A run that goes on after an answer has told its beginning before.
        if (const auto before = core.feeds.find(order.id)) follower.after = before->last_id();
    follower.feed = run_launcher{core}.launch(std::move(order));
}

/** What a client asked for goes with this coroutine: the client may follow its run for hours. */
task<langgraph_follower> begin_in_thread(serve_core& core, api_call& call)
{
    const object given = co_await call.read_object();
    run_body body = read_run_body(given, stream_mode::values);
    langgraph_follower follower = follower_of(body);
    run_order order = co_await order_in_thread(core, call.thread(), std::move(body));
    follower.thread = order.thread;
    const bool may_be_refused = order.busy == busy_policy::reject;
    launch_for(core, call, follower, std::move(order));
    // The thread had no run a moment ago: if it has one now, the answer says so.
    if (may_be_refused) (void)co_await wait_for_entry(core, follower.feed);
    co_return follower;
}

task<void> stream_in_thread(serve_core& core, api_call& call)
{
    langgraph_follower follower = co_await begin_in_thread(core, call);
    co_await stream_for_langgraph(core, call, std::move(follower));
}

task<void> wait_in_thread(serve_core& core, api_call& call)
{
    langgraph_follower follower = co_await begin_in_thread(core, call);
    co_await wait_for_langgraph(core, call, std::move(follower));
}

task<void> reply_created(serve_core& core, api_call& call, run_order order)
{
    const std::string thread = order.thread->thread;
    note_answer(call, order);
    order.trace = call.trace();
    run_record ordered = ordered_record(core, order);
    const std::shared_ptr<run_feed> feed = run_launcher{core}.launch(std::move(order));
    // A client that gets the answer can rely on the run being in the store, or over.
    const std::optional<run_record> entered = co_await wait_for_entry(core, feed);
    const run_record& record = entered ? *entered : ordered;
    co_await call.reply(200, view_of(record), "Content-Location", place_of_run(thread, record.id));
}

task<void> create_in_thread(serve_core& core, api_call& call)
{
    const object given = co_await call.read_object();
    run_order order = co_await order_in_thread(core, call.thread(), read_run_body(given, stream_mode::values));
    co_await reply_created(core, call, std::move(order));
}

/** As `begin_in_thread`. */
task<langgraph_follower> begin_alone(serve_core& core, api_call& call, bool is_watched)
{
    const object given = co_await call.read_object();
    run_body body = read_run_body(given, stream_mode::values);
    const stream_modes shown = body.view.modes;
    langgraph_follower follower = follower_of(body);
    run_order order = co_await order_alone(core, call.tenant(), std::move(body), false);
    order.is_watched = is_watched;
    if (is_watched)
        order.wants = [shown](const run_event& event) { return may_have_frames(event, shown); };
    follower.thread = order.thread;
    launch_for(core, call, follower, std::move(order));
    co_return follower;
}

task<void> stream_alone(serve_core& core, api_call& call)
{
    langgraph_follower follower = co_await begin_alone(core, call, true);
    co_await stream_for_langgraph(core, call, std::move(follower));
}

task<void> wait_alone(serve_core& core, api_call& call)
{
    langgraph_follower follower = co_await begin_alone(core, call, false);  // events cost more than the run
    co_await wait_for_langgraph(core, call, std::move(follower));
}

task<void> create_alone(serve_core& core, api_call& call)
{
    const object given = co_await call.read_object();
    run_order order = co_await order_alone(core, call.tenant(), read_run_body(given, stream_mode::values), true);
    co_await reply_created(core, call, std::move(order));
}

task<void> list_runs(serve_core& core, api_call& call)
{
    const stored_thread known = co_await require_thread(core, call.thread());
    const std::size_t limit = run_list.limit.or_default(call);
    const std::size_t offset = run_list.offset.or_default(call);
    run_query query;
    query.tenant = known.thread.tenant;
    query.thread = known.thread.thread;
    query.count_max = limit + offset;
    if (const auto status = run_list.status.in(call)) {
        constexpr std::array phases{run_phase::queued,   run_phase::ready,  run_phase::running,   run_phase::waiting,
                                    run_phase::finished, run_phase::failed, run_phase::cancelled, run_phase::dead};
        for (const run_phase phase : phases)
            if (status_for_client(phase) == run_status_names[*status]) query.phases.push_back(phase);
    }
    const run_page page = co_await core.stores.service->runs().search(std::move(query));
    array result;
    std::size_t passed = 0;
    for (const stored_run& run : page.runs) {
        // A change of the state by hand holds the thread as a run does, and is none.
        if (object_in(run.metadata).contains(run_notes::kind)) continue;
        if (passed++ >= offset) result.push_back(view_of(run));
    }
    co_await call.reply(200, result);
}

task<void> show_run(serve_core& core, api_call& call)
{
    const run_record record = co_await require_run(core, call.thread(), call.part(1));
    co_await call.reply(200, view_of(record));
}

task<void> stop_run_of_path(serve_core& core, api_call& call)
{
    const run_record record = co_await require_run(core, call.thread(), call.part(1));
    const bool is_active = co_await cancel_run(core, record);
    const bool waits = run_cancel.waits.in(call).value_or(false);
    if (waits && is_active) (void)co_await wait_until_over(core, record);
    const int status = waits ? 204 : 202;
    co_await call.reply_nothing(status);
}

task<void> erase_run(serve_core& core, api_call& call)
{
    const run_record record = co_await require_run(core, call.thread(), call.part(1));
    if (!is_over(record.phase))
        throw http_error{409, "run_is_not_over", "the run is not over; cancel it first"};
    (void)co_await core.stores.service->runs().remove(record.id);
    co_await call.reply_nothing(204);
}

task<void> join_end(serve_core& core, api_call& call)
{
    const run_record record = co_await require_run(core, call.thread(), call.part(1));
    run_follower joined = co_await join_run(core, record);
    langgraph_follower follower{std::move(joined)};
    follower.stops_with_client = run_join.stops.in(call).value_or(false);
    co_await wait_for_langgraph(core, call, std::move(follower));
}

void add_listed_modes(array& to, const std::string& text)
{
    value list;
    try {
        list = parse_json(text);
    } catch (const error& wrong) {
        run_stream_join.modes.refuse(wrong.what());
    }
    for (const value& mode : list.as_array()) to.push_back(mode);
}

/** The modes of a query: a name again and again, names with commas, or a list as JSON, as the clients write it. */
array modes_in(std::string_view query)
{
    array modes;
    for (const std::string& given : query_values(query, run_stream_join.modes.name())) {
        if (given.starts_with('[')) {
            add_listed_modes(modes, given);
            continue;
        }
        for (const std::string& mode : comma_separated(given)) modes.push_back(value(mode));
    }
    return modes;
}

/** What a client that joins wants to see; if it does not say it, what the run was begun with. */
stream_view view_to_join(const api_call& call, const run_record& record)
{
    value named(modes_in(call.http().head().query()));  // in braces it would be a list in a list
    const object notes = object_in(record.metadata);
    stream_view view;
    const value* const noted = notes.if_contains(run_notes::stream);
    if (noted && noted->is_object()) {
        const object& begun = noted->get_object();
        const value* const subgraphs = begun.if_contains("subgraphs");
        view.has_subgraphs = subgraphs && *subgraphs == true;
        const value* const modes = begun.if_contains("modes");
        if (modes && named.get_array().empty()) named = *modes;
    }
    view.modes = read_stream_modes(&named, stream_mode::values, run_stream_join.modes.place());
    return view;
}

task<void> join_stream(serve_core& core, api_call& call)
{
    const run_record record = co_await require_run(core, call.thread(), call.part(1));
    run_follower joined = co_await join_run(core, record);
    langgraph_follower follower{std::move(joined)};
    follower.view = view_to_join(call, record);
    follower.stops_with_client = run_stream_join.stops.in(call).value_or(false);
    if (const auto last = call.http().headers().find("last-event-id")) {
        std::uint64_t id = 0;
        std::from_chars(last->data(), last->data() + last->size(), id);
        follower.after = frame_id::of(id).before();
        follower.seen = id;
    }
    co_await stream_for_langgraph(core, call, std::move(follower));
}

}  // namespace

void add_run_routes(route_table& routes, serve_core& core)
{
    using form = good_answer::form;
    const field_set* const begin = &run_fields_of_body();
    const good_answer run{.of = &run_schema};
    const good_answer values{.of = &object_schema};
    const good_answer events{.what = form::events};
    // What a run leaves are the values of its graph, of which only that has a schema.
    const good_answer nothing{.what = form::nothing, .status = 204};
    bind_route(routes, core, "POST", "/runs", {"threads", "create_run"}, create_alone,
               {.summary = "Begins a run without a thread, in the background", .body = begin, .answer = run});
    bind_route(routes, core, "POST", "/runs/wait", {"threads", "create_run"}, wait_alone,
               {.summary = "Runs a graph, and answers with the values that it leaves",
                .body = begin,
                .answer = values});
    bind_route(routes, core, "POST", "/runs/stream", {"threads", "create_run"}, stream_alone,
               {.summary = "Runs a graph, and shows what happens", .body = begin, .answer = events});
    bind_route(routes, core, "GET", "/threads/{thread_id}/runs", {"threads", "read"}, list_runs,
               {.summary = "Lists the runs of a thread", .query = &run_list, .answer = {form::list, &run_schema}});
    bind_route(routes, core, "POST", "/threads/{thread_id}/runs", {"threads", "create_run"}, create_in_thread,
               {.summary = "Begins a run in the background", .body = begin, .answer = run});
    bind_route(routes, core, "POST", "/threads/{thread_id}/runs/wait", {"threads", "create_run"}, wait_in_thread,
               {.summary = "Begins a run, and answers with the values that it leaves",
                .body = begin,
                .answer = values});
    bind_route(routes, core, "POST", "/threads/{thread_id}/runs/stream", {"threads", "create_run"}, stream_in_thread,
               {.summary = "Begins a run, and shows what happens", .body = begin, .answer = events});
    bind_route(routes, core, "GET", "/threads/{thread_id}/runs/{run_id}", {"threads", "read"}, show_run,
               {.summary = "Shows a run", .answer = run});
    bind_route(routes, core, "POST", "/threads/{thread_id}/runs/{run_id}/cancel", {"threads", "update"},
               stop_run_of_path,
               {.summary = "Cancels a run",
                .query = &run_cancel,
                .answer = {.what = form::nothing, .status = 202, .or_status = 204}});
    bind_route(routes, core, "DELETE", "/threads/{thread_id}/runs/{run_id}", {"threads", "delete"}, erase_run,
               {.summary = "Deletes a run that is over", .answer = nothing});
    bind_route(routes, core, "GET", "/threads/{thread_id}/runs/{run_id}/join", {"threads", "read"}, join_end,
               {.summary = "Waits for a run, and answers with the values that it leaves",
                .query = &run_join,
                .answer = values});
    bind_route(routes, core, "GET", "/threads/{thread_id}/runs/{run_id}/stream", {"threads", "read"}, join_stream,
               {.summary = "Shows what happens in a run, behind Last-Event-ID",
                .query = &run_stream_join,
                .answer = events});
}

}  // namespace weft::serve_detail
