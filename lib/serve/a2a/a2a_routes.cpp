#include "a2a_routes.hpp"

#include "a2a_card.hpp"
#include "a2a_fault.hpp"
#include "a2a_methods.hpp"
#include "serve/order/assistants.hpp"

#include <weft/base/error.hpp>
#include <weft/base/text/base64.hpp>
#include <weft/net/server/http_error.hpp>
#include <weft/net/text/digest.hpp>

#include <boost/json/serialize.hpp>

#include <charconv>
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
    const std::shared_ptr<const served_graph> graph = graph_of(core, shown);
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

void put_query(object& params, const api_call& call, const char* name)
{
    if (auto text = call.query(name)) params[name] = std::move(*text);
}

void put_query_number(object& params, const api_call& call, const char* name)
{
    const auto text = call.query(name);
    if (!text || text->empty()) return;
    std::int64_t number = 0;
    const auto [end, code] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (code != std::errc{} || end != text->data() + text->size())
        refuse_a2a(a2a_code::invalid_params, name, "expected a number");
    params[name] = number;
}

/** Parameters of a GET are texts; the methods take them as the body of a call has them. */
object list_params(const api_call& call)
{
    object params;
    for (const char* const name : {"contextId", "status", "pageToken", "statusTimestampAfter"})
        put_query(params, call, name);
    for (const char* const name : {"pageSize", "historyLength"}) put_query_number(params, call, name);
    if (const auto flag = call.query("includeArtifacts")) params["includeArtifacts"] = *flag == "true" || *flag == "1";
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
        put_query_number(params, call, "historyLength");
        return answer(call, "GetTask", std::move(params));
    }

    task<void> on_config(api_call& call, std::string method) const
    {
        return answer(call, std::move(method), object{{"taskId", call.part(1)}, {"id", call.part(2)}});
    }
};

void add_http_binding(route_table& routes, http_binding on)
{
    const std::string agent{"/a2a/{assistant_id}"};
    const auto add = [&](const char* method, const char* path, std::string_view action, route::function answer) {
        routes.add({method, agent + path, {"threads", action}, std::move(answer)});
    };
    add("POST", "/message:send", "create_run",
        [on](api_call& call) { return http_binding::answer_body(on, call, "SendMessage", {}); });
    add("POST", "/message:stream", "create_run",
        [on](api_call& call) { return http_binding::answer_body(on, call, "SendStreamingMessage", {}); });
    add("GET", "/tasks", "read", [on](api_call& call) { return on.answer(call, "ListTasks", list_params(call)); });
    // `{task_id}:cancel`, `{task_id}:subscribe`: what the verb needs is asked for behind the check of the route.
    add("GET", "/tasks/{task_id}", "read", [on](api_call& call) { return on.on_task(call, "GET"); });
    add("POST", "/tasks/{task_id}", "read", [on](api_call& call) { return on.on_task(call, "POST"); });
    add("POST", "/tasks/{task_id}/pushNotificationConfigs", "update", [on](api_call& call) {
        return http_binding::answer_body(on, call, "CreateTaskPushNotificationConfig", call.part(1));
    });
    add("GET", "/tasks/{task_id}/pushNotificationConfigs", "read", [on](api_call& call) {
        return on.answer(call, "ListTaskPushNotificationConfigs", object{{"taskId", call.part(1)}});
    });
    add("GET", "/tasks/{task_id}/pushNotificationConfigs/{config_id}", "read",
        [on](api_call& call) { return on.on_config(call, "GetTaskPushNotificationConfig"); });
    add("DELETE", "/tasks/{task_id}/pushNotificationConfigs/{config_id}", "update",
        [on](api_call& call) { return on.on_config(call, "DeleteTaskPushNotificationConfig"); });
    add("GET", "/extendedAgentCard", "read",
        [on](api_call& call) { return on.answer(call, "GetExtendedAgentCard", object{}); });
}

}  // namespace

void add_a2a_routes(route_table& routes, serve_core& core, a2a_push_sender& pushes)
{
    routes.refuse_as("/a2a", a2a_form);
    // Cards are for those that look for agents, and do not know yet how to call them.
    routes.add({"GET", "/.well-known/agent-card.json", {},
                [&core](api_call& call) { return show_root_card(core, call); }});
    routes.add({"GET", "/a2a/{assistant_id}/.well-known/agent-card.json", {},
                [&core](api_call& call) { return show_card(core, call); }});
    // Methods that change something ask for more.
    const route_access access{"threads", "read"};
    routes.add({"POST", "/a2a", access,
                [&core, &pushes](api_call& call) { return answer_rpc(core, pushes, call, {}); }});
    routes.add({"POST", "/a2a/{assistant_id}", access,
                [&core, &pushes](api_call& call) { return answer_rpc(core, pushes, call, call.part(0)); }});
    add_http_binding(routes, http_binding{core, pushes});
}

}  // namespace weft::serve_detail
