#include "serve/http/bound_route.hpp"
#include "serve/order/run_following.hpp"
#include "serve/order/runs.hpp"
#include "serve/wire/run_notes.hpp"
#include "serve/wire/view_schemas.hpp"
#include "serve/wire/views.hpp"
#include "studio_routes.hpp"
#include "studio_views.hpp"

#include <weft/base/json.hpp>
#include <weft/engine/trace/stored_run_event.hpp>
#include <weft/graph/state/state_layout.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;

constexpr std::array run_phases{run_phase::queued,   run_phase::ready,  run_phase::running,   run_phase::waiting,
                                run_phase::finished, run_phase::failed, run_phase::cancelled, run_phase::dead};
constexpr std::array<std::string_view, 8> run_phase_names{"queued",   "ready",  "running",   "waiting",
                                                          "finished", "failed", "cancelled", "dead"};

struct studio_list_fields : field_set {
    using field_set::field_set;

    word_field phase{*this, "phase", "Only runs that stand so", run_phase_names};
    text_field graph{*this, "graph", "Only runs of this graph"};
    text_field thread{*this, "thread", "Only runs of this thread"};
    text_field metadata{*this, "metadata", "A JSON object: what the metadata contain"};
    text_field after{*this, "after", "What the page before said as next"};
    number_field limit{*this, "limit", "How many at most", {.min = 1, .max = 200, .otherwise = 50}};
};
const studio_list_fields studio_list{"query"};

/** What a run has spent, where this process knows it: the run came to rest here, or all of its events came by. */
void add_spent(object& view, const serve_core& core, run_id run)
{
    const std::shared_ptr<const run_feed> feed = core.feeds.find(run);
    if (!feed) return;
    const std::optional<usage> used = feed->used();
    if (used && used->total() > tokens{}) view["tokens"] = used->total().count();
    if (!feed->is_closed() || !feed->ending()->spent) return;
    const spending& spent = *feed->ending()->spent;
    view["tokens"] = spent.tokens.count();
    if (spent.cost > usd_micros{}) view["cost_usd_micros"] = spent.cost.count();
}

task<void> list_studio_runs(serve_core& core, api_call& call)
{
    run_query query;
    query.tenant = call.tenant();
    query.graph = studio_list.graph.in(call);
    query.thread = studio_list.thread.in(call);
    query.contains = studio_list.metadata.in(call).value_or("{}");
    query.after = studio_list.after.in(call).value_or("");
    query.count_max = studio_list.limit.or_default(call);
    if (const auto phase = studio_list.phase.in(call)) query.phases = {run_phases[*phase]};
    const run_page page = co_await search_runs(core, std::move(query), studio_list.after);
    object shown;
    array& runs = shown["runs"].emplace_array();
    for (const stored_run& run : page.runs) {
        if (!is_shown_run(run)) continue;
        object view = studio_run_view(run);
        add_spent(view, core, run.id);
        runs.push_back(std::move(view));
    }
    shown["next"] = page.next;
    co_await call.reply(200, shown);
}

stored_run listed(const run_record& run)
{
    stored_run shown;
    shown.id = run.id;
    shown.thread = run.thread;
    shown.phase = run.phase;
    shown.graph = run.graph;
    shown.revision = run.revision;
    shown.message = run.message;
    shown.attempt = run.attempt;
    shown.created = run.created;
    shown.changed = run.changed;
    shown.ended = run.ended;
    shown.metadata = run.metadata;
    return shown;
}

/** Keys whose values join what is there. */
array keys_of_lists(const graph& of)
{
    array names;
    const state_layout& layout = *of.layout();
    for (std::uint32_t slot = 0; slot < layout.size(); ++slot) {
        const key_type& type = *layout[slot].type;
        if (!type.has_reducer || !type.value->schema) continue;
        const object schema = type.value->schema();
        const boost::json::value* const kind = schema.if_contains("type");
        if (kind && *kind == "array") names.push_back(boost::json::string{layout[slot].name});
    }
    return names;
}

task<void> show_studio_run(serve_core& core, api_call& call)
{
    const run_record run = co_await require_any_run(core, call.tenant(), call.part(0));
    const object shown = studio_run_detail(run, served_graph_of(core, run.graph));
    co_await call.reply(200, shown);
}

std::string studio_frame(const feed_event& event)
{
    return "id: " + std::to_string(event.what.id) + "\ndata: " + stored_run_event(event.what) + "\n\n";
}

/** All events of a run as weft has them, in place of what a protocol makes of them. */
class studio_writer final : public run_writer {
public:
    /** @param begins_anew   The client has events that the run does not have: it is told all of them again. */
    explicit studio_writer(bool begins_anew) noexcept : begins_anew_{begins_anew} {}

    void begin(std::string& out) override
    {
        if (begins_anew_) out.append("event: anew\ndata: {}\n\n");
    }
    std::string_view protocol() const noexcept override { return "studio"; }
    event_frames frames(const feed_event& event) override
    {
        event_frames made;
        made.push_back(event.form(form_slots::studio, studio_frame));
        return made;
    }
    bool shows_records() const noexcept override { return true; }
    void gap(std::string& out) override { out.append("event: gap\ndata: {}\n\n"); }
    void end(std::string& out, const run_ending& ending) override
    {
        const object last{{"phase", name_of(ending.phase)}, {"error", ending.error}, {"message", ending.message}};
        out.append("event: end\ndata: ").append(boost::json::serialize(last)).append("\n\n");
    }
    last_word_function last_word() const noexcept override
    {
        return [](const std::string& why) {
            return "event: refused\ndata: " + boost::json::serialize(object{{"message", why}}) + "\n\n";
        };
    }

private:
    bool begins_anew_;
};

task<void> stream_studio_run(serve_core& core, api_call& call)
{
    run_record run = co_await require_any_run(core, call.tenant(), call.part(0));
    const bool may_be_pruned = is_over(run.phase);
    run_follower follower = co_await join_run(core, std::move(run));
    if (const auto last = call.http().headers().find("last-event-id"))
        std::from_chars(last->data(), last->data() + last->size(), follower.after);
    // What a killed process told behind its last checkpoint did not happen: the run has gone on from there.
    const bool begins_anew = follower.after > 0 && follower.feed->lacks(follower.after) &&
                             (follower.feed->size() > 0 || !may_be_pruned);
    if (begins_anew) follower.after = 0;
    auto writer = std::make_unique<studio_writer>(begins_anew);
    co_await stream_run(core, call, std::move(follower), std::move(writer));
}

}  // namespace

task<run_record> require_any_run(serve_core& core, std::string tenant, std::string id)
{
    const std::optional<run_id> wanted = run_id::parse(id);
    std::optional<run_record> found;
    if (wanted) found = co_await core.stores.runs->find_run(*wanted);
    if (!found || found->thread.tenant != tenant)
        throw http_error{404, "run_not_found", "there is no run '" + id + "'"};
    co_return std::move(*found);
}

std::optional<graph> served_graph_of(const serve_core& core, std::string_view name)
{
    const std::shared_ptr<const hosted_graph> found = core.find_graph(name);
    return found ? std::optional{found->graph} : std::nullopt;
}

object studio_run_detail(const run_record& run, const std::optional<graph>& of)
{
    object shown = studio_run_view(listed(run));
    shown["input"] = object_in(run.input);
    shown["lists"] = of ? keys_of_lists(*of) : array{};
    return shown;
}

bool is_shown_run(const stored_run& run) { return !object_in(run.metadata).contains(run_notes::kind); }

object studio_run_view(const stored_run& shown)
{
    object view = view_of(shown);
    view["graph"] = shown.graph;
    view["phase"] = name_of(shown.phase);
    view["message"] = shown.message;
    view["attempt"] = shown.attempt;
    view["revision"] = shown.revision;
    if (shown.ended != wall_time{}) view["ended_at"] = iso_time(shown.ended);
    return view;
}

void add_studio_runs(route_table& routes, serve_core& core)
{
    const good_answer any{.of = &object_schema};
    bind_route(routes, core, "GET", "/studio/api/runs", {"threads", "search"}, list_studio_runs,
               {.summary = "Lists the runs of all threads, newest first", .query = &studio_list, .answer = any});
    bind_route(routes, core, "GET", "/studio/api/runs/{run_id}", {"threads", "read"}, show_studio_run,
               {.summary = "Shows a run by its id alone", .answer = any});
    bind_route(routes, core, "GET", "/studio/api/runs/{run_id}/stream", {"threads", "read"}, stream_studio_run,
               {.summary = "All events of a run as weft has them, behind Last-Event-ID",
                .answer = {.what = good_answer::form::events}});
}

}  // namespace weft::serve_detail
