#include "thread_protocol.hpp"

#include "serve/http/bound_route.hpp"
#include "serve/http/own_origin.hpp"
#include "serve/run/run_history.hpp"
#include "serve/wire/view_schemas.hpp"
#include "serve/wire/tape_answer.hpp"
#include "thread_commands.hpp"
#include "thread_frames.hpp"
#include "thread_socket.hpp"

#include <weft/net/server/http_error.hpp>

#include <charconv>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::object;

constexpr std::uint16_t unauthenticated_close = 4401;  // 4000 and the status of HTTP: final for clients of the protocol

command_caller caller_of(api_call& call)
{
    return {call.thread(), [&call](std::string action) { call.audit(std::move(action)); }};
}

/** A socket is open for long, to read: what else its caller wants to do is asked each time. */
command_caller caller_on_socket(serve_core& core, api_call& call)
{
    command_caller caller = caller_of(call);
    if (!core.access.is_asking()) return caller;
    caller.admit = [&core, &call](std::string_view action) {
        return core.access.admit_known(call.who(), call.http(), "threads", action);
    };
    return caller;
}

task<void> receive_command(serve_core& core, api_call& call)
{
    object given;
    bool is_command = true;
    try {
        given = co_await call.read_object();
    } catch (const http_error& refused) {
        if (refused.status() != 422) throw;
        is_command = false;
    }
    // Only a text that is no command has a status of its own: without an id there is nothing to answer to.
    if (!is_command) throw http_error{400, "invalid_json", "expected a command: an object with id, method and params"};
    const object answer = co_await answer_command(core, caller_of(call), std::move(given), nullptr);
    const int status = answer.at("id").is_null() ? 400 : 200;
    co_await call.reply(status, answer);
}

const channel_fields watch_fields{"body"};

/** The frame that the client has seen last: `since` of the body, or what a browser sends when it connects again. */
std::uint64_t seen_by(const object& body, const http_headers& headers)
{
    const auto since = static_cast<std::uint64_t>(watch_fields.since.in(body).value_or(0));
    // A browser that connects again sends the body of the first time, and what it has seen since then here.
    std::uint64_t seen = 0;
    const std::string_view last = headers.find("last-event-id").value_or("");
    const auto [end, code] = std::from_chars(last.data(), last.data() + last.size(), seen);
    return code == std::errc{} && end != last.data() ? seen : since;
}

task<void> watch_thread(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    thread_frames frames{channel_filter::read(body, watch_fields)};
    frames.set_thread(call.part(0));
    const std::shared_ptr<thread_tape> tape = co_await whole_tape_of(core, call.thread());
    const std::uint64_t seen = seen_by(body, call.http().headers());
    frames.set_clock(core.loop.clock());
    const std::uint64_t after = frames.go_on_behind(*tape, seen);
    append_entry_function append = [&frames](std::string& out, const tape_entry& entry) { frames.append(out, entry); };
    co_await stream_tape(core, call, tape, after, std::move(append));
}

task<void> talk_in_thread(serve_core& core, api_call& call)
{
    // Browsers let a page of any site open a WebSocket here, with the cookies and from within the network of its user.
    require_own_origin(call.http().head(), core.options.allowed_origin);
    websocket_session session = co_await call.http().accept_websocket();
    std::unique_ptr<access_watch::place> place;
    if (call.by().can_end()) {
        const auto close = [session](const std::string& why) mutable { session.close(unauthenticated_close, why); };
        place = core.access.watch().enter(call.by(), close);
    }
    thread_socket socket{core, session, caller_on_socket(core, call)};
    co_await socket.run();
}

}  // namespace

void add_thread_protocol_routes(route_table& routes, serve_core& core)
{
    using form = good_answer::form;
    const good_answer events{.what = form::events};
    const char* const watch = "Shows what happens in a thread, in the second protocol";
    bind_route(routes, core, "POST", "/threads/{thread_id}/commands", {"threads", "create_run"}, receive_command,
               {.summary = "Carries out a command of the second protocol; an error is an answer of 200 as well",
                .body = &thread_command_of_message(),
                .answer = {.of = &object_schema},
                .has_own_errors = true});
    bind_route(routes, core, "POST", "/threads/{thread_id}/stream/events", {"threads", "read"}, watch_thread,
               {.summary = watch, .body = &watch_fields, .answer = events});
    bind_route(routes, core, "POST", "/threads/{thread_id}/stream", {"threads", "read"}, watch_thread,
               {.summary = watch, .body = &watch_fields, .answer = events});
    bind_route(routes, core, "GET", "/threads/{thread_id}/stream/events", {"threads", "read"}, talk_in_thread,
               {.summary = "A WebSocket for commands and events of the second protocol",
                .answer = {.what = form::socket, .status = 101}});
}

}  // namespace weft::serve_detail
