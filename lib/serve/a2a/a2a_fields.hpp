#pragma once

#include "a2a_fault.hpp"
#include "serve/http/fields.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace weft::serve_detail {

// What clients of A2A send, in both dialects. Places begin at the parameters of a method, which in the binding
// HTTP+JSON are the body or the query.

/** The longest id that is taken, in bytes. */
inline constexpr std::size_t a2a_id_bytes_max = 256;

inline constexpr number_range a2a_history_range{.min = 0, .max = 1'000'000};

/** A set whose members are refused as `invalid_params`. */
struct a2a_fields : field_set {
    a2a_fields() : a2a_fields{std::string{}} {}
    explicit a2a_fields(std::string place) : field_set{std::move(place), a2a_misfit} {}
};

struct a2a_part_fields : a2a_fields {
    using a2a_fields::a2a_fields;

    text_field text{*this, "text", "Words"};
    value_field data{*this, "data", "Any JSON"};
    text_field raw{*this, "raw", "A file as base64"};
    text_field url{*this, "url", "An image by its address"};
    text_field media_type{*this, "mediaType", "Of raw or url"};
};

struct a2a_authentication_fields : a2a_fields {
    using a2a_fields::a2a_fields;

    text_field scheme{*this, "scheme", "Of the header Authorization"};
    text_field credentials{*this, "credentials", "What stands behind it"};
    value_field schemes{*this, "schemes", "As scheme, in 0.3", R"({"type": "array"})"};
};

/** Where a client wants the end of a task sent. */
struct a2a_push_fields : a2a_fields {
    using a2a_fields::a2a_fields;

    a2a_authentication_fields in_authentication{below("authentication")};

    text_field id{*this, "id", "Its name; the server gives it one", field_need::optional, a2a_id_bytes_max};
    text_field url{*this, "url", "Where to", field_need::required};
    text_field token{*this, "token", "Goes along, for the receiver to know it by"};
    object_field authentication{*this, "authentication", "How the server shows who it is", &in_authentication};
};

/** `CreateTaskPushNotificationConfig` */
struct a2a_new_push_fields : a2a_push_fields {
    text_field task{*this, "taskId", "The task", field_need::required, a2a_id_bytes_max};
};

struct a2a_message_fields : a2a_fields {
    static constexpr std::array<std::string_view, 2> roles{"ROLE_USER", "user"};

    a2a_message_fields() : a2a_fields{"message"} {}

    text_field id{*this, "messageId", "The client's name of it", field_need::required, a2a_id_bytes_max};
    text_field context{*this, "contextId", "The thread; a new one without it", field_need::optional, a2a_id_bytes_max};
    text_field task{*this, "taskId", "The task that asks; a new one without it", field_need::optional,
                    a2a_id_bytes_max};
    word_field role{*this, "role", "A client speaks as ROLE_USER", roles, field_need::required};
    value_field content{*this, "parts", "Each has one of text, data, raw, url",
                        R"({"type": "array", "minItems": 1, "maxItems": 1000, "items": {"type": "object"}})",
                        field_need::required};
    texts_field references{*this, "referenceTaskIds", "Tasks that it refers to", {.items_max = 16}};
    object_field metadata{*this, "metadata", "skill names a graph, where the path does not"};
};

struct a2a_configuration_fields : a2a_fields {
    a2a_configuration_fields() : a2a_fields{"configuration"} {}

    a2a_push_fields in_push{"configuration.taskPushNotificationConfig"};
    a2a_push_fields in_legacy_push{"configuration.pushNotificationConfig"};

    value_field modes{*this, "acceptedOutputModes", "One of them is text/plain", R"({"type": "array"})"};
    number_field history_length{*this, "historyLength", "Messages of the task at most; all without it",
                                a2a_history_range};
    flag_field returns_at_once{*this, "returnImmediately", "Whether the answer comes before the end"};
    flag_field blocks{*this, "blocking", "The contrary, in 0.3"};
    object_field push{*this, "taskPushNotificationConfig", "Where to send the end", &in_push};
    object_field legacy_push{*this, "pushNotificationConfig", "The same, in 0.3", &in_legacy_push};
};

/** `SendMessage`, `SendStreamingMessage` */
struct a2a_send_fields : a2a_fields {
    a2a_message_fields in_message;
    a2a_configuration_fields in_configuration;

    object_field message{*this, "message", "What is said", &in_message, field_need::required};
    object_field configuration{*this, "configuration", "How the answer is wanted", &in_configuration};
    text_field tenant{*this, "tenant", "The agent, where the path names none"};
};

/** `CancelTask`, `SubscribeToTask` */
struct a2a_task_name_fields : a2a_fields {
    text_field id{*this, "id", "The task", field_need::required, a2a_id_bytes_max};
};

/** What of a task `GET …/tasks/{task_id}` is asked for. */
struct a2a_task_query : a2a_fields {
    number_field history_length{*this, "historyLength", "Messages of the task at most; all without it",
                                a2a_history_range};
};

/** `GetTask` */
struct a2a_task_fields : a2a_task_query {
    text_field id{*this, "id", "The task", field_need::required, a2a_id_bytes_max};
};

/** `ListTasks` */
struct a2a_list_fields : a2a_fields {
    text_field context{*this, "contextId", "Only of this thread", field_need::optional, a2a_id_bytes_max};
    text_field status{*this, "status", "Only in this state, such as TASK_STATE_WORKING"};
    number_field page_size{*this, "pageSize", "How many at most; 50 without it", {.min = 0, .max = 100}};
    text_field page_token{*this, "pageToken", "The nextPageToken of the page before"};
    number_field history_length{*this, "historyLength", "Messages of each at most; none without it",
                                a2a_history_range};
    text_field changed_from{*this, "statusTimestampAfter", "Only those that changed since"};
    flag_field has_artifacts{*this, "includeArtifacts", "Whether each has its output"};
    text_field tenant{*this, "tenant", "Only of this agent, where the path names none"};
};

/** `ListTaskPushNotificationConfigs` */
struct a2a_push_list_fields : a2a_fields {
    text_field task{*this, "taskId", "The task", field_need::required, a2a_id_bytes_max};
};

/** `GetTaskPushNotificationConfig` */
struct a2a_push_view_fields : a2a_push_list_fields {
    text_field id{*this, "id", "The configuration; in 0.3 the only one, without it", field_need::optional,
                  a2a_id_bytes_max};
};

/** `DeleteTaskPushNotificationConfig` */
struct a2a_push_erasure_fields : a2a_push_list_fields {
    text_field id{*this, "id", "The configuration", field_need::required, a2a_id_bytes_max};
};

}  // namespace weft::serve_detail
