#include "a2a_routes.hpp"

#include "a2a_card.hpp"
#include "a2a_fault.hpp"
#include "a2a_methods.hpp"
#include "a2a_schemas.hpp"
#include "serve/order/assistants.hpp"
#include "serve/wire/view_schemas.hpp"

#include <weft/base/error.hpp>
#include <weft/base/text/base64.hpp>
#include <weft/net/server/http_error.hpp>
#include <weft/net/text/digest.hpp>

#include <boost/json/serialize.hpp>

#include <exception>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::object;
using boost::json::value;

// The cards.

a2a_place place_of(const serve_core& core, const api_call& call)
{
    a2a_place at;
    at.asks_for_key = core.access.is_asking();
    at.url = core.options.public_url;
    if (at.url.empty()) {
        const std::string_view host = call.http().head().host;
        at.url = (call.http().is_tls() ? "https://" : "http://") + std::string{host};
    }
    while (at.url.ends_with('/')) at.url.pop_back();
    return at;
}

task<void> reply_card(api_call& call, object card)
{
    http_reply answer{200, boost::json::serialize(card), "application/json"};
    const std::string tag = "\"" + to_hex(net_detail::sha256(answer.body)).substr(0, 32) + "\"";
    const std::string_view known = call.http().headers().find("if-none-match").value_or(std::string_view{});
    if (known.find(tag) != known.npos) answer = http_reply{304};
    answer.headers.set("ETag", tag);
    answer.headers.set("Cache-Control", "public, max-age=60");
    // The URLs in it are those by which it was asked for.
    answer.headers.set("Vary", "Host");
    return call.http().reply(std::move(answer));
}

task<void> show_card_of(serve_core& core, api_call& call, std::string id)
{
    const assistant shown = co_await require_assistant(core, call.tenant(), std::move(id), 404);
    const std::shared_ptr<const hosted_graph> graph = graph_of(core, shown);
    co_await reply_card(call, a2a_card_of(shown, graph->graph, place_of(core, call)));
}

task<void> show_card(serve_core& core, api_call& call) { return show_card_of(core, call, call.part(0)); }

task<void> show_root_card(serve_core& core, api_call& call)
{
    const std::shared_ptr<const served_set> served = core.served;
    if (served->graphs.size() == 1) return show_card_of(core, call, std::string{served->graphs.front().graph.name()});
    return reply_card(call, a2a_card_of(*served, place_of(core, call)));
}

// JSON-RPC.

/** A refusal within a call: status 200, unless it is about the connection or the caller as a whole. */
http_reply rpc_refusal(const value& id, const std::exception_ptr& thrown, const refusal& why)
{
    const object body{{"jsonrpc", "2.0"}, {"id", id}, {"error", a2a_rpc_error(why)}};
    const bool is_of_call = why.status != 401 && why.status != 403 && why.status != 429 && why.status != 503;
    http_reply answer{is_of_call ? 200 : why.status, boost::json::serialize(body), "application/json"};
    if (why.retry_after_s > 0) answer.headers.set("Retry-After", std::to_string(why.retry_after_s));
    try {
        std::rethrow_exception(thrown);
    } catch (const http_error& refused) {
        for (std::size_t i = 0; i < refused.headers().size(); ++i)
            answer.headers.set(refused.headers()[i].name, refused.headers()[i].value);
    } catch (...) {
        // It has no headers.
    }
    return answer;
}

/** What is no JSON has a code of its own in JSON-RPC. */
task<value> read_rpc_body(api_call& call)
{
    std::string broken;
    try {
        std::optional<value> body = co_await call.read_json();
        if (body) co_return std::move(*body);
        broken = "the body is empty: send a call";
    } catch (const http_error& refused) {
        if (refused.code() != "invalid_json") throw;
        broken = refused.what();
    }
    refuse_a2a(a2a_code::parse_error, "", broken);
}

task<void> answer_rpc(serve_core& core, a2a_push_sender& pushes, api_call& call, std::string agent)
{
    value id;
    std::exception_ptr failure;
    try {
        const value body = co_await read_rpc_body(call);
        id = a2a_rpc_id(body);
        a2a_rpc_call given = read_a2a_rpc(body);
        check_a2a_version(call.http().headers().find("a2a-version").value_or(std::string_view{}));
        a2a_method_call asked;
        asked.method = std::move(given.method);
        asked.params = std::move(given.params);
        asked.agent = std::move(agent);
        asked.envelope.dialect = given.dialect;
        asked.envelope.is_rpc = true;
        asked.envelope.id = id;
        co_await answer_a2a_method(core, pushes, call, std::move(asked));
    } catch (...) {
        failure = std::current_exception();
    }
    if (!failure) co_return;
    const refusal why = refusal_for(failure);
    // What is wrong with the body as bytes is told by the server, as it is for every path.
    const bool is_of_bytes = why.status == 413 || why.status == 415 || why.status == 408;
    if (call.http().has_answered() || call.http().is_gone() || is_of_bytes) std::rethrow_exception(failure);
    if (why.is_of_server) core.tell_error(call.http().head().target, text_of(failure));
    http_reply refused = rpc_refusal(id, failure, why);
    co_await call.http().reply(std::move(refused));
}

// HTTP+JSON.

/** Parameters of a GET are texts; the methods take them as the body of a call has them. */
object list_params(const api_call& call)
{
    const a2a_list_fields& fields = fields_of<a2a_list_fields>();
    object params;
    for (const text_field* const each : {&fields.context, &fields.status, &fields.page_token, &fields.changed_from})
        if (auto text = each->in(call)) params[each->name()] = std::move(*text);
    for (const number_field* const each : {&fields.page_size, &fields.history_length})
        if (const auto number = each->in(call)) params[each->name()] = *number;
    if (const auto flag = fields.has_artifacts.in(call)) params[fields.has_artifacts.name()] = *flag;
    return params;
}

/** `cancel` of `17:cancel`, which is taken off; empty: there is none. */
std::string take_verb(std::string& task)
{
    const std::size_t colon = task.rfind(':');
    if (colon == task.npos) return {};
    std::string verb = task.substr(colon + 1);
    task.erase(colon);
    return verb;
}

struct http_binding {
    serve_core& core;
    a2a_push_sender& pushes;

    task<void> answer(api_call& call, std::string method, object params) const
    {
        check_a2a_version(call.http().headers().find("a2a-version").value_or(std::string_view{}));
        a2a_method_call asked;
        asked.method = std::move(method);
        asked.params = std::move(params);
        asked.agent = call.part(0);
        return answer_a2a_method(core, pushes, call, std::move(asked));
    }

    /** Of a method whose parameters are the body. */
    static task<void> answer_body(http_binding self, api_call& call, std::string method, std::string task_name)
    {
        object params = co_await call.read_object();
        if (!task_name.empty()) params["taskId"] = std::move(task_name);
        co_await self.answer(call, std::move(method), std::move(params));
    }

    task<void> on_task(api_call& call, std::string_view http_method) const
    {
        std::string id = call.part(1);
        const std::string verb = take_verb(id);
        object params{{"id", id}};
        if (verb == "subscribe") return answer(call, "SubscribeToTask", std::move(params));
        if (verb == "cancel" && http_method == "POST") return answer(call, "CancelTask", std::move(params));
        if (!verb.empty() || http_method != "GET")
            throw http_error{404, "not_found", "there is nothing at " + std::string{call.http().path()}};
        const number_field& length = fields_of<a2a_task_query>().history_length;
        if (const auto number = length.in(call)) params[length.name()] = *number;
        return answer(call, "GetTask", std::move(params));
    }

    task<void> on_config(api_call& call, std::string method) const
    {
        return answer(call, std::move(method), object{{"taskId", call.part(1)}, {"id", call.part(2)}});
    }
};

good_answer a2a_answer(const named_schema& of, good_answer::form what = good_answer::form::json)
{
    return {.what = what, .of = &of, .type = "application/a2a+json"};
}

void add_task_routes(route_table& routes, http_binding on)
{
    const std::string agent{"/a2a/{assistant_id}"};
    const auto add = [&](const char* method, const char* path, std::string_view action, route_description told,
                         route::function answer) {
        routes.add({method, agent + path, {"threads", action}, std::move(answer), told});
    };
    const good_answer followed = a2a_answer(a2a_task_schema, good_answer::form::either);
    add("POST", "/message:send", "create_run",
        {.summary = "Says something to an agent, and answers with the task",
         .body = &fields_of<a2a_send_fields>(),
         .answer = a2a_answer(a2a_sent_schema)},
        [on](api_call& call) { return http_binding::answer_body(on, call, "SendMessage", {}); });
    add("POST", "/message:stream", "create_run",
        {.summary = "Says something to an agent, and shows what happens",
         .body = &fields_of<a2a_send_fields>(),
         .answer = {.what = good_answer::form::events}},
        [on](api_call& call) { return http_binding::answer_body(on, call, "SendStreamingMessage", {}); });
    add("GET", "/tasks", "read",
        {.summary = "Lists tasks, newest first",
         .query = &fields_of<a2a_list_fields>(),
         .answer = a2a_answer(a2a_task_list_schema)},
        [on](api_call& call) { return on.answer(call, "ListTasks", list_params(call)); });
    // `{task_id}:cancel`, `{task_id}:subscribe`: what the verb needs is asked for behind the check of the route.
    add("GET", "/tasks/{task_id}", "read",
        {.summary = "Shows a task; {task_id}:subscribe follows it",
         .query = &fields_of<a2a_task_query>(),
         .answer = followed},
        [on](api_call& call) { return on.on_task(call, "GET"); });
    add("POST", "/tasks/{task_id}", "read",
        {.summary = "{task_id}:cancel cancels a task, {task_id}:subscribe follows it", .answer = followed},
        [on](api_call& call) { return on.on_task(call, "POST"); });
}

void add_push_routes(route_table& routes, http_binding on)
{
    const std::string all{"/a2a/{assistant_id}/tasks/{task_id}/pushNotificationConfigs"};
    const std::string one = all + "/{config_id}";
    const route_access read{"threads", "read"};
    const route_access update{"threads", "update"};
    routes.add({"POST", all, update,
                [on](api_call& call) {
                    return http_binding::answer_body(on, call, "CreateTaskPushNotificationConfig", call.part(1));
                },
                {.summary = "Has the end of a task sent somewhere",
                 .body = &fields_of<a2a_push_fields>(),
                 .answer = a2a_answer(a2a_push_schema)}});
    routes.add({"GET", all, read,
                [on](api_call& call) {
                    return on.answer(call, "ListTaskPushNotificationConfigs", object{{"taskId", call.part(1)}});
                },
                {.summary = "Lists where the end of a task is sent", .answer = a2a_answer(a2a_push_list_schema)}});
    routes.add({"GET", one, read,
                [on](api_call& call) { return on.on_config(call, "GetTaskPushNotificationConfig"); },
                {.summary = "Shows where the end of a task is sent", .answer = a2a_answer(a2a_push_schema)}});
    routes.add({"DELETE", one, update,
                [on](api_call& call) { return on.on_config(call, "DeleteTaskPushNotificationConfig"); },
                {.summary = "Has the end of a task sent no more", .answer = a2a_answer(a2a_nothing_schema)}});
}

}  // namespace

void add_a2a_routes(route_table& routes, serve_core& core, a2a_push_sender& pushes)
{
    routes.refuse_as("/a2a", a2a_form);
    // Cards are for those that look for agents, and do not know yet how to call them.
    const route_description card{.summary = "The card of an agent", .answer = {.of = &a2a_card_schema}};
    routes.add({"GET", "/.well-known/agent-card.json", {},
                [&core](api_call& call) { return show_root_card(core, call); }, card});
    routes.add({"GET", "/a2a/{assistant_id}/.well-known/agent-card.json", {},
                [&core](api_call& call) { return show_card(core, call); }, card});
    // Methods that change something ask for more.
    const route_access access{"threads", "read"};
    const route_description calls{.summary = "Carries out a method of A2A; an error is an answer of 200 as well",
                                  .answer = {.what = good_answer::form::either, .of = &rpc_answer_schema},
                                  .methods = a2a_rpc_methods()};
    routes.add({"POST", "/a2a", access,
                [&core, &pushes](api_call& call) { return answer_rpc(core, pushes, call, {}); }, calls});
    routes.add({"POST", "/a2a/{assistant_id}", access,
                [&core, &pushes](api_call& call) { return answer_rpc(core, pushes, call, call.part(0)); }, calls});
    const http_binding binding{core, pushes};
    add_task_routes(routes, binding);
    add_push_routes(routes, binding);
    routes.add({"GET", "/a2a/{assistant_id}/extendedAgentCard", access,
                [binding](api_call& call) { return binding.answer(call, "GetExtendedAgentCard", object{}); },
                {.summary = "Agents have no card beside their public one", .answer = a2a_answer(a2a_card_schema)}});
}

}  // namespace weft::serve_detail
