#include "webhook_body.hpp"

#include "serve/state/state_wire.hpp"
#include "serve/wire/views.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_peek.hpp>

#include <boost/json/serialize.hpp>

#include <array>
#include <string>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::object;
using boost::json::value;

/** The values of a thread; null if it has none, or too large ones. */
task<value> values_to_tell(serve_core& core, thread_key thread)
{
    value told;
    try {
        const thread_snapshot newest = co_await core.engine.read(std::move(thread));
        object values = values_for_client(newest.state());
        if (boost::json::serialize(values).size() <= core.options.webhooks.values_bytes_max) told = std::move(values);
    } catch (const error& e) {
        // A thread that is gone, or of a graph that this server does not have, has none that could be told.
        const bool has_none = e.code() == errc::thread_not_found || e.code() == errc::graph_changed ||
                              e.code() == errc::invalid_configuration;
        if (!has_none) throw;
    }
    co_return told;
}

/** Of a run that was forgotten meanwhile. */
object body_of_message(const object& payload, std::string_view status)
{
    return {{"run_id", peek_text(payload, "run")},
            {"thread_id", peek_text(payload, "thread")},
            {"assistant_id", nullptr},
            {"status", status},
            {"metadata", object{{"graph_id", peek_text(payload, "graph")}}},
            {"kwargs", object{}},
            {"values", nullptr}};
}

std::string_view status_of_phase(std::string_view name)
{
    for (const run_phase phase : {run_phase::finished, run_phase::cancelled, run_phase::failed, run_phase::dead})
        if (name == name_of(phase)) return status_for_client(phase);
    return status_for_client(run_phase::dead);
}

}  // namespace

task<object> webhook_body(serve_core& core, outbox_message of)
{
    object payload = object_in(of.payload);
    // A program may have put messages of its own into the outbox.
    if (!payload.contains("run")) co_return payload;
    std::optional<run_record> run;
    if (const auto id = run_id::parse(peek_text(payload, "run"))) run = co_await core.stores.runs->find_run(*id);
    object body;
    if (run) {
        body = view_of(*run);
        body["run_started_at"] = iso_time(run->created);
        body["run_ended_at"] = iso_time(run->ended);
        body["values"] = co_await values_to_tell(core, run->thread);
        const bool has_failed = run->phase == run_phase::failed || run->phase == run_phase::dead;
        if (has_failed) body["error"] = run->message;
    } else {
        body = body_of_message(payload, status_of_phase(peek_text(payload, "phase")));
    }
    body["webhook_sent_at"] = iso_time(core.loop.clock().system_now());
    co_return body;
}

}  // namespace weft::serve_detail
