#include "cron_body.hpp"

#include "iso_moment.hpp"
#include "serve/order/run_orders.hpp"
#include "serve/state/state_wire.hpp"
#include "serve/wire/views.hpp"

#include <weft/agent/host/zone_schedule.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/serve/cron_moment.hpp>

#include <boost/json/serialize.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::object;
using boost::json::value;

/** What a body says about the runs of a cron beside what is read: runs are given it as it is. */
constexpr std::array members_passed_on{"context", "stream_resumable", "durability", "checkpoint_during"};

void read_schedule(cron& into, const object& body, wall_time now)
{
    const cron_fields& fields = cron_fields_of_body();
    // Of a cron that is there it may be left out.
    if (fields.schedule.is_in(body)) into.schedule = fields.schedule.needed_in(body);
    if (into.schedule.empty()) fields.schedule.refuse("is required: five fields, such as '30 9 * * mon-fri'");
    if (auto zone = fields.time_zone.in(body)) into.time_zone = std::move(*zone);
    if (!is_time_zone(into.time_zone))
        fields.time_zone.refuse("the server does not know '" + into.time_zone +
                                "': give a name of the IANA database, such as Europe/Berlin");
    std::string fault;
    try {
        (void)next_moment(into, now);
    } catch (const error& wrong) {
        fault = wrong.detail();
    }
    if (!fault.empty()) fields.schedule.refuse(fault);
}

void read_end(cron& into, const object& body)
{
    const text_field& field = cron_fields_of_body().end;
    if (!body.contains(field.name())) return;
    into.end.reset();
    const std::optional<std::string> text = field.in(body);
    if (!text) return;
    into.end = read_iso_moment(*text);
    if (!into.end) field.refuse("expected a moment such as 2026-11-27T10:00:00+00:00");
}

void take_member(object& to, const object& from, std::string_view name)
{
    if (const value* const given = from.if_contains(name); given && !given->is_null()) to[name] = *given;
}

/** Joins the members that are about the runs, and checks them as if a run began now. */
task<void> read_runs(serve_core& core, cron& into, const object& body)
{
    object payload = object_in(into.input);
    const cron_fields& fields = cron_fields_of_body();
    const any_run_fields any{fields.place()};
    for (const field* const one : any.fields()) take_member(payload, body, one->name());
    for (const char* const name : members_passed_on) take_member(payload, body, name);
    take_member(payload, body, fields.on_completion_of_run.name());
    const run_body order = read_any_run(payload, stream_mode::values, fields);
    check_webhook(core, order);
    if (order.on_busy == run_body::strategy::rollback)
        fields.strategy.refuse("rollback is not supported; use interrupt, enqueue or reject");
    (void)fields.on_completion_of_run.in(payload);
    const assistant used = co_await require_assistant(core, into.tenant, order.assistant, 422);
    const object nothing;
    (void)read_update(graph_of(core, used)->graph, order.input ? *order.input : nothing, "body.input");
    into.assistant = used.id;
    into.graph = used.graph;
    into.metadata = boost::json::serialize(order.metadata);
    into.input = boost::json::serialize(payload);
}

value time_or_null(const std::optional<wall_time>& moment)
{
    return moment ? value(iso_time(*moment)) : value(nullptr);
}

value text_or_null(const std::string& text) { return text.empty() ? value(nullptr) : value(text); }

}  // namespace

const cron_fields& cron_fields_of_body()
{
    static const cron_fields fields{"body"};
    return fields;
}

task<cron> read_cron(serve_core& core, cron known, object body)
{
    const cron before = known;
    const wall_time now = core.loop.clock().system_now();
    read_schedule(known, body, now);
    read_end(known, body);
    if (const auto is_enabled = cron_fields_of_body().is_enabled.in(body)) known.is_enabled = *is_enabled;
    if (const auto missed = cron_fields_of_body().missed.in(body)) known.missed = static_cast<cron_missed>(*missed);
    co_await read_runs(core, known, body);
    const bool is_new_time = known.schedule != before.schedule || known.time_zone != before.time_zone ||
                             known.end != before.end || (known.is_enabled && !before.is_enabled);
    if (is_new_time || known.revision == 0) known.next = next_moment(known, now);
    co_return known;
}

task<void> time_by_store(serve_core& core, std::string tenant, std::string id, wall_time local)
{
    constexpr std::chrono::seconds tolerated{2};
    cron_table crons{core.stores.service->documents()};
    std::optional<cron> made = co_await crons.find(std::move(tenant), std::move(id));
    if (!made || (made->changed - local < tolerated && local - made->changed < tolerated)) co_return;
    made->next = next_moment(*made, made->changed);
    (void)co_await crons.update(std::move(*made));  // who changed it since has said when it is
}

bool payload_forgets_thread(const object& payload)
{
    const value* const word = payload.if_contains(cron_fields_of_body().on_completion_of_run.name());
    return !word || !word->is_string() || word->get_string() != "keep";
}

const named_schema cron_schema{"Cron", [] {
    return parse_json(R"({
      "type": "object",
      "properties": {
        "cron_id": {"type": "string"},
        "assistant_id": {"type": "string"},
        "thread_id": {"type": ["string", "null"]},
        "on_run_completed": {"type": ["string", "null"], "enum": ["delete", "keep", null]},
        "end_time": {"type": ["string", "null"]},
        "schedule": {"type": "string"},
        "timezone": {"type": ["string", "null"]},
        "created_at": {"type": "string"},
        "updated_at": {"type": "string"},
        "payload": {"type": "object"},
        "user_id": {"type": "null"},
        "next_run_date": {"type": ["string", "null"]},
        "metadata": {"type": "object"},
        "enabled": {"type": "boolean"},
        "missed": {"type": "string", "enum": ["one", "skip", "all"]}
      }
    })").as_object();
}};

object view_of(const cron& shown)
{
    object payload = object_in(shown.input);
    const value completion = shown.thread.empty() ? value(payload_forgets_thread(payload) ? "delete" : "keep")
                                                  : value(nullptr);
    return {{"cron_id", shown.id},
            {"assistant_id", shown.assistant},
            {"thread_id", text_or_null(shown.thread)},
            {"on_run_completed", completion},
            {"end_time", time_or_null(shown.end)},
            {"schedule", shown.schedule},
            {"timezone", text_or_null(shown.time_zone)},
            {"created_at", iso_time(shown.created)},
            {"updated_at", iso_time(shown.changed)},
            {"payload", std::move(payload)},
            {"user_id", nullptr},
            {"next_run_date", shown.is_enabled ? time_or_null(shown.next) : value(nullptr)},
            {"metadata", object_in(shown.metadata)},
            {"enabled", shown.is_enabled},
            {"missed", missed_names[static_cast<std::size_t>(shown.missed) % missed_names.size()]}};
}

}  // namespace weft::serve_detail
