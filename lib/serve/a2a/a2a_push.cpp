#include "a2a_push.hpp"

#include "a2a_fault.hpp"
#include "a2a_task.hpp"
#include "serve/schedule/webhook_url.hpp"
#include "serve/wire/views.hpp"

#include <weft/base/error.hpp>
#include <weft/net/server/http_error.hpp>
#include <weft/store/service/webhook_outbox.hpp>

#include <boost/json/serialize.hpp>

#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::object;
using boost::json::value;

constexpr const char* push_kind = "a2a_push";
constexpr std::size_t pushes_a_task_max = 10;
constexpr std::size_t looked_at_once_max = 64;
/** Between two looks of a process that knows of no task: another one may have died. */
constexpr std::chrono::seconds idle_look_every{30};

std::string text_in_push(const object& of, std::string_view name)
{
    const value* const found = of.if_contains(name);
    return found && found->is_string() ? std::string{found->get_string()} : std::string{};
}

document_key key_of_push(std::string tenant, const std::string& task, const std::string& id)
{
    return {push_kind, std::move(tenant), task + "/" + id};
}

a2a_push_config config_in(const object& body)
{
    a2a_push_config config;
    config.id = text_in_push(body, "id");
    config.task = text_in_push(body, "task");
    config.url = text_in_push(body, "url");
    config.token = text_in_push(body, "token");
    config.scheme = text_in_push(body, "scheme");
    config.credentials = text_in_push(body, "credentials");
    return config;
}

/** @par Source   A2A 1.0, "Push notification payload"; the SDKs' name of the header for the token. */
object headers_of(const a2a_push_config& config)
{
    object headers;
    if (!config.token.empty()) headers["X-A2A-Notification-Token"] = config.token;
    if (!config.scheme.empty() && !config.credentials.empty())
        headers["Authorization"] = config.scheme + " " + config.credentials;
    return headers;
}

/** A state that is told: once when the task is over, and for each time that it asks. Empty: none. */
std::string told_state(const run_record& run)
{
    const a2a_state state = a2a_state_of(run.phase);
    if (!is_terminal(state) && state != a2a_state::input_required) return {};
    const auto at = std::chrono::duration_cast<std::chrono::milliseconds>(run.changed.time_since_epoch()).count();
    std::string told{name_of(state)};
    if (state == a2a_state::input_required) told.append("@").append(std::to_string(at));
    return told;
}

}  // namespace

a2a_push_sender::a2a_push_sender(serve_core& core) : core_{core}, news_{make_counted<remote_signal>()} {}

void a2a_push_sender::check(const a2a_push_config& config, std::string_view where) const
{
    const std::string fault = webhook_url_fault(config.url, core_.options.webhooks);
    std::string place{where};
    place.append(place.empty() ? "" : ".").append("url");
    if (!fault.empty()) refuse_a2a(a2a_code::invalid_params, place, fault);
}

task<a2a_push_config> a2a_push_sender::enter(std::string tenant, a2a_push_config config, a2a_dialect dialect)
{
    if (config.id.empty()) config.id = core_.next_id<run_id>().text();
    const std::vector<a2a_push_config> known = co_await list(tenant, config.task);
    bool is_new = true;
    for (const a2a_push_config& one : known) is_new = is_new && one.id != config.id;
    if (is_new && known.size() >= pushes_a_task_max)
        throw http_error{429, "too_many_configurations", "a task has at most ten push notification configurations"};
    object body{{"task", config.task}, {"id", config.id}, {"url", config.url}, {"token", config.token}};
    body["scheme"] = config.scheme;
    body["credentials"] = config.credentials;
    body["dialect"] = dialect == a2a_dialect::v03 ? "0.3" : "1.0";
    document_change made;
    made.key = key_of_push(std::move(tenant), config.task, config.id);
    made.body = boost::json::serialize(body);
    made.due = core_.loop.clock().system_now();
    std::vector<document_change> changes{std::move(made)};
    (void)co_await core_.stores.service->documents().write(std::move(changes));
    news_->notify();
    co_return config;
}

task<std::vector<a2a_push_config>> a2a_push_sender::list(std::string tenant, std::string task)
{
    document_query query;
    query.kind = push_kind;
    query.tenant = std::move(tenant);
    query.contains = boost::json::serialize(object{{"task", task}});
    query.order = list_order::oldest_first;
    query.count_max = pushes_a_task_max;
    const document_page page = co_await core_.stores.service->documents().search(std::move(query));
    std::vector<a2a_push_config> configs;
    for (const stored_document& one : page.documents) configs.push_back(config_in(object_in(one.body)));
    co_return configs;
}

task<a2a_push_config> a2a_push_sender::find(std::string tenant, std::string task, std::string id)
{
    const std::vector<a2a_push_config> known = co_await list(std::move(tenant), task);
    for (const a2a_push_config& one : known)
        if (id.empty() || one.id == id) co_return one;
    refuse_a2a(a2a_code::task_not_found, "",
               "the task " + task + " has no push notification configuration '" + id + "'");
}

// The message of an end that is in the outbox already goes out.
task<void> a2a_push_sender::erase(std::string tenant, std::string task, std::string id)
{
    document_change gone;
    gone.key = key_of_push(std::move(tenant), task, id);
    std::vector<document_change> changes{std::move(gone)};
    (void)co_await core_.stores.service->documents().write(std::move(changes));
}

task<void> a2a_push_sender::work()
{
    const task_context& context = co_await this_task::context();
    std::size_t looked_at = 0;
    for (;;) {
        const std::size_t looked_at_before = std::exchange(looked_at, 0);
        std::string problem;
        try {
            looked_at = co_await look(*this);
        } catch (const error& e) {
            if (e.code() == errc::cancelled) throw;
            problem = e.what();
        }
        if (!problem.empty()) core_.tell_error("a2a push notifications", problem);
        if (looked_at == looked_at_once_max) continue;
        // Leases end by the clock of the store: a look that finds nothing may have come a moment too early.
        const bool knows_tasks = looked_at > 0 || looked_at_before > 0;
        const std::chrono::nanoseconds pause =
            knows_tasks ? core_.options.webhooks.poll_every : std::chrono::nanoseconds{idle_look_every};
        (void)co_await news_->wait_until(context.loop->now() + pause);
    }
}

// The lease is as long as the pause: what goes on is looked at once in that time, by one process.
task<std::size_t> a2a_push_sender::look(a2a_push_sender& self)
{
    const auto lease = std::chrono::ceil<std::chrono::milliseconds>(self.core_.options.webhooks.poll_every);
    std::vector<stored_document> due =
        co_await self.core_.stores.service->documents().take_due(push_kind, lease, looked_at_once_max);
    for (stored_document& one : due) co_await look_at(self, std::move(one));
    co_return due.size();
}

/** A task that goes on is looked at again when the lease is over. */
task<void> a2a_push_sender::look_at(a2a_push_sender& self, stored_document of)
{
    object body = object_in(of.body);
    std::optional<run_record> run;
    if (const auto id = run_id::parse(text_in_push(body, "task")))
        run = co_await self.core_.stores.runs->find_run(*id);
    document_change change;
    change.key = of.key;
    change.expected = of.revision;
    if (run) {
        std::string state = told_state(*run);
        if (state.empty() || state == text_in_push(body, "told")) co_return;
        co_await tell(self, of, *run, state);
        body["told"] = std::move(state);
        change.body = boost::json::serialize(body);
        if (!is_over(run->phase))
            change.due = self.core_.loop.clock().system_now() + self.core_.options.webhooks.poll_every;
    }
    std::vector<document_change> changes{std::move(change)};
    (void)co_await self.core_.stores.service->documents().write(std::move(changes));
}

task<void> a2a_push_sender::tell(a2a_push_sender& self, const stored_document& of, run_record run, std::string state)
{
    const object body = object_in(of.body);
    const a2a_push_config config = config_in(body);
    const bool is_legacy = text_in_push(body, "dialect") == "0.3";
    outbox_message message;
    message.tenant = of.key.tenant;
    message.id = "a2a:" + config.task + ":" + config.id + ":" + state;
    message.url = config.url;
    // An output that is too large for a message is left out: the receiver gets the task.
    for (const bool with_output : {true, false}) {
        const a2a_task shown = co_await a2a_task_of(self.core_, run, with_output);
        object view = view_of(shown, std::nullopt);
        object told = is_legacy ? legacy_task(std::move(view)) : object{{"task", std::move(view)}};
        message.payload = boost::json::serialize(object{{"body", std::move(told)}, {"headers", headers_of(config)}});
        if (message.payload.size() <= self.core_.options.webhooks.values_bytes_max) break;
    }
    webhook_outbox outbox{self.core_.stores.service->documents()};
    (void)co_await outbox.add(std::move(message));
    if (self.core_.ends) self.core_.ends->note_end();
}

}  // namespace weft::serve_detail
