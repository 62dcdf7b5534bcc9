#include "a2a_request.hpp"

#include "a2a_fault.hpp"
#include "serve/langgraph/schedule/iso_moment.hpp"

#include <weft/base/json/json_peek.hpp>

#include <array>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

struct method_names {
    std::string_view current;
    std::string_view legacy;  // empty: 0.3 has none
    const field_set* params;  // of the one in 1.0; null: it has none
};

const std::array<method_names, 11>& known_methods()
{
    static const field_set* const send = &fields_of<a2a_send_fields>();
    static const field_set* const task = &fields_of<a2a_task_name_fields>();
    static const std::array<method_names, 11> all{{
        {"SendMessage", "message/send", send},
        {"SendStreamingMessage", "message/stream", send},
        {"GetTask", "tasks/get", &fields_of<a2a_task_fields>()},
        {"ListTasks", "", &fields_of<a2a_list_fields>()},
        {"CancelTask", "tasks/cancel", task},
        {"SubscribeToTask", "tasks/resubscribe", task},
        {"CreateTaskPushNotificationConfig", "tasks/pushNotificationConfig/set", &fields_of<a2a_new_push_fields>()},
        {"GetTaskPushNotificationConfig", "tasks/pushNotificationConfig/get",
         &fields_of<a2a_push_view_fields>()},
        {"ListTaskPushNotificationConfigs", "tasks/pushNotificationConfig/list",
         &fields_of<a2a_push_list_fields>()},
        {"DeleteTaskPushNotificationConfig", "tasks/pushNotificationConfig/delete",
         &fields_of<a2a_push_erasure_fields>()},
        {"GetExtendedAgentCard", "agent/getAuthenticatedExtendedCard", nullptr},
    }};
    return all;
}

/** A configuration of 0.3, `{"taskId", "pushNotificationConfig": {…}}`, flat as in 1.0. */
object current_push_config(object params)
{
    value* const inner = params.if_contains("pushNotificationConfig");
    if (!inner || !inner->is_object()) return params;
    object flat = std::move(inner->get_object());
    if (value* const task = params.if_contains("taskId")) flat["taskId"] = std::move(*task);
    return flat;
}

/** Methods of 0.3 name the task `id`, and the configuration by a name of its own. */
object current_push_name(object params)
{
    object named;
    if (value* const task = params.if_contains("id")) named["taskId"] = std::move(*task);
    if (value* const config = params.if_contains("pushNotificationConfigId")) named["id"] = std::move(*config);
    return named;
}

object current_params(std::string_view method, object params)
{
    if (method == "CreateTaskPushNotificationConfig") return current_push_config(std::move(params));
    if (method.find("PushNotificationConfig") != method.npos) return current_push_name(std::move(params));
    return params;
}

std::optional<run_phase> phase_named(std::string_view state, std::vector<run_phase>& into)
{
    constexpr std::array phases{run_phase::queued,   run_phase::ready,  run_phase::running,   run_phase::waiting,
                                run_phase::finished, run_phase::failed, run_phase::cancelled, run_phase::dead};
    for (const run_phase phase : phases)
        if (name_of(a2a_state_of(phase)) == state) into.push_back(phase);
    return into.empty() ? std::nullopt : std::optional{into.front()};
}

}  // namespace

value a2a_rpc_id(const value& body)
{
    const value* const id = body.is_object() ? body.get_object().if_contains("id") : nullptr;
    const bool is_id = id && (id->is_string() || id->is_int64() || id->is_uint64());
    if (!is_id || (id->is_string() && id->get_string().size() > a2a_id_bytes_max)) return nullptr;
    return *id;
}

std::span<const rpc_method> a2a_rpc_methods()
{
    static const std::vector<rpc_method> all = [] {
        std::vector<rpc_method> made;
        for (const method_names& one : known_methods()) made.push_back({one.current, one.params});
        // Those of push notifications have other members, which are read as in 1.0.
        for (const method_names& one : known_methods())
            if (!one.legacy.empty())
                made.push_back({one.legacy, one.legacy.find("push") == one.legacy.npos ? one.params : nullptr});
        return made;
    }();
    return all;
}

a2a_rpc_call read_a2a_rpc(const value& body)
{
    if (body.is_array()) refuse_a2a(a2a_code::invalid_request, "", "batches are not supported: send one call");
    if (!body.is_object()) refuse_a2a(a2a_code::invalid_request, "", "a call is a JSON object");
    const object& from = body.get_object();
    const value* const version = from.if_contains("jsonrpc");
    if (!version || *version != value("2.0"))
        refuse_a2a(a2a_code::invalid_request, "", "jsonrpc: must be the string \"2.0\"");
    a2a_rpc_call call;
    call.id = a2a_rpc_id(body);
    const value* const id = from.if_contains("id");
    if (id && !id->is_null() && call.id.is_null())
        refuse_a2a(a2a_code::invalid_request, "", "id: must be a string, a whole number or null");
    const value* const method = from.if_contains("method");
    if (!method || !method->is_string()) refuse_a2a(a2a_code::invalid_request, "", "method: must be a string");
    const std::string_view named = method->get_string();
    const method_names* known = nullptr;
    for (const method_names& one : known_methods())
        if (one.current == named || (!one.legacy.empty() && one.legacy == named)) known = &one;
    if (!known) refuse_a2a(a2a_code::method_not_found, "", "there is no method '" + std::string{named} + "'");
    call.method = known->current;
    if (known->current != named) call.dialect = a2a_dialect::v03;
    if (const value* const params = peek_member(from, "params")) {
        if (!params->is_object()) refuse_a2a(a2a_code::invalid_params, "params", "expected an object");
        call.params = params->get_object();
    }
    if (call.dialect == a2a_dialect::v03) call.params = current_params(call.method, std::move(call.params));
    return call;
}

void check_a2a_version(std::string_view version)
{
    const bool is_spoken = version.empty() || version == "1" || version.starts_with("1.") || version == "0.3" ||
                           version.starts_with("0.3.");
    if (!is_spoken)
        refuse_a2a(a2a_code::version_not_supported, "",
                   "the version '" + std::string{version.substr(0, 20)} + "' is not spoken here: 1.0 and 0.3 are");
}

std::optional<std::size_t> a2a_history_length(const number_field& from, const object& params)
{
    const auto length = from.in(params);
    return length ? std::optional{static_cast<std::size_t>(*length)} : std::nullopt;
}

a2a_push_config read_a2a_push(const a2a_push_fields& fields, const object& params)
{
    a2a_push_config config;
    config.id = fields.id.text_or_empty(params);
    config.url = fields.url.needed_in(params);
    config.token = fields.token.text_or_empty(params);
    if (const object* const how = fields.authentication.in(params)) {
        const a2a_authentication_fields& shown = fields.in_authentication;
        config.scheme = shown.scheme.text_or_empty(*how);
        config.credentials = shown.credentials.text_or_empty(*how);
        const value* const schemes = shown.schemes.in(*how);  // of 0.3
        if (schemes && !schemes->is_array()) shown.schemes.refuse("expected a list");
        if (config.scheme.empty() && schemes && !schemes->get_array().empty())
            config.scheme = peek_text(&schemes->get_array().front());
    }
    for (const std::string* const text : {&config.token, &config.scheme, &config.credentials})
        for (const char c : *text)
            if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || text->size() > 4096)
                refuse_a2a(a2a_code::invalid_params, fields.token.place(),
                           "what becomes a header has at most 4096 characters and no control characters");
    return config;
}

object view_of(const a2a_push_config& config)
{
    object view{{"taskId", config.task}, {"id", config.id}, {"url", config.url}};
    if (!config.token.empty()) view["token"] = config.token;
    if (config.scheme.empty()) return view;
    object how{{"scheme", config.scheme}};
    if (!config.credentials.empty()) how["credentials"] = config.credentials;
    view["authentication"] = std::move(how);
    return view;
}

a2a_list_query read_a2a_list(const object& params)
{
    a2a_list_query query;
    const a2a_list_fields& fields = fields_of<a2a_list_fields>();
    query.context = fields.context.text_or_empty(params);
    query.tenant = fields.tenant.text_or_empty(params);
    const std::string state = fields.status.text_or_empty(params);
    if (!state.empty() && state != "TASK_STATE_UNSPECIFIED" && !phase_named(state, query.phases)) {
        if (state != "TASK_STATE_REJECTED" && state != "TASK_STATE_AUTH_REQUIRED")
            refuse_a2a(a2a_code::invalid_params, "status", "is no state of a task, such as TASK_STATE_WORKING");
        query.finds_nothing = true;
    }
    // 0 is what a message of Protocol Buffers says when nothing is set.
    const auto size = fields.page_size.in(params).value_or(0);
    if (size > 0) query.page_size = static_cast<std::size_t>(size);
    query.page_token = fields.page_token.text_or_empty(params);
    query.history_length = a2a_history_length(fields.history_length, params).value_or(0);
    query.has_artifacts = fields.has_artifacts.is_set(params);
    if (const std::string from = fields.changed_from.text_or_empty(params); !from.empty()) {
        query.changed_from = read_iso_moment(from);
        if (!query.changed_from)
            refuse_a2a(a2a_code::invalid_params, "statusTimestampAfter", "is no time, such as 2026-11-27T10:00:00Z");
    }
    return query;
}

}  // namespace weft::serve_detail
