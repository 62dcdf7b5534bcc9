#include "a2a_dialect.hpp"

#include <boost/json/array.hpp>

#include <array>
#include <cstdio>
#include <ctime>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::array<std::string_view, 6> current_names{"TASK_STATE_SUBMITTED",      "TASK_STATE_WORKING",
                                                        "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_COMPLETED",
                                                        "TASK_STATE_FAILED",         "TASK_STATE_CANCELED"};
constexpr std::array<std::string_view, 6> legacy_names{"submitted", "working", "input-required",
                                                       "completed", "failed",  "canceled"};

void each_object(object& in, std::string_view name, object (*change)(object))
{
    value* const list = in.if_contains(name);
    if (!list || !list->is_array()) return;
    for (value& one : list->get_array())
        if (one.is_object()) one = change(std::move(one.get_object()));
}

object legacy_status(object status)
{
    if (value* const state = status.if_contains("state"); state && state->is_string())
        for (std::size_t i = 0; i < current_names.size(); ++i)
            if (state->get_string() == current_names[i]) *state = legacy_names[i];
    if (value* const message = status.if_contains("message"); message && message->is_object())
        *message = legacy_message(std::move(message->get_object()));
    return status;
}

void make_status_legacy(object& of)
{
    if (value* const status = of.if_contains("status"); status && status->is_object())
        *status = legacy_status(std::move(status->get_object()));
}

object legacy_artifact(object artifact)
{
    each_object(artifact, "parts", legacy_content);
    return artifact;
}

/** `final` of 0.3: nothing follows in this stream. */
bool ends_stream(const object& status_update)
{
    const value* const status = status_update.if_contains("status");
    const value* const state = status && status->is_object() ? status->get_object().if_contains("state") : nullptr;
    return state && *state != value(legacy_names[0]) && *state != value(legacy_names[1]);
}

}  // namespace

a2a_state a2a_state_of(run_phase phase) noexcept
{
    switch (phase) {
    case run_phase::queued:
    case run_phase::ready: return a2a_state::submitted;
    case run_phase::running: return a2a_state::working;
    case run_phase::waiting: return a2a_state::input_required;
    case run_phase::finished: return a2a_state::completed;
    case run_phase::cancelled: return a2a_state::canceled;
    case run_phase::failed:
    case run_phase::dead: break;
    }
    return a2a_state::failed;
}

bool is_terminal(a2a_state state) noexcept
{
    return state == a2a_state::completed || state == a2a_state::failed || state == a2a_state::canceled;
}

std::string_view name_of(a2a_state state) noexcept { return current_names[static_cast<std::size_t>(state)]; }

std::string a2a_time(clock::system_time_point at)
{
    const auto millis = std::chrono::floor<std::chrono::milliseconds>(at.time_since_epoch()).count();
    const std::time_t second = static_cast<std::time_t>(millis / 1000);
    std::tm parts{};
    ::gmtime_r(&second, &parts);
    char text[80];
    std::snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900, parts.tm_mon + 1,
                  parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, static_cast<int>(millis % 1000));
    return text;
}

object legacy_content(object part)
{
    if (part.contains("text")) {
        part["kind"] = "text";
    } else if (part.contains("data")) {
        part["kind"] = "data";
        part.erase("mediaType");
        // In 0.3 data is an object.
        if (value& data = part["data"]; !data.is_object()) data = object{{"value", std::move(data)}};
    } else {
        object file;
        for (const auto& [from, to] : {std::pair{"raw", "bytes"}, std::pair{"url", "uri"},
                                       std::pair{"mediaType", "mimeType"}, std::pair{"filename", "name"}})
            if (value* const found = part.if_contains(from)) {
                file[to] = std::move(*found);
                part.erase(from);
            }
        part["kind"] = "file";
        part["file"] = std::move(file);
    }
    return part;
}

object legacy_message(object message)
{
    message["kind"] = "message";
    const value* const role = message.if_contains("role");
    message["role"] = role && *role == value("ROLE_USER") ? "user" : "agent";
    each_object(message, "parts", legacy_content);
    return message;
}

// Artifacts and histories hold parts, which are the larger part of what differs.
object legacy_task(object task)
{
    task["kind"] = "task";
    make_status_legacy(task);
    each_object(task, "artifacts", legacy_artifact);
    each_object(task, "history", legacy_message);
    return task;
}

object legacy_push_config(object config)
{
    object result;
    if (value* const task = config.if_contains("taskId")) {
        result["taskId"] = std::move(*task);
        config.erase("taskId");
    }
    value* const how = config.if_contains("authentication");
    if (how && how->is_object())
        if (value* const scheme = how->get_object().if_contains("scheme")) {
            how->get_object()["schemes"] = array{*scheme};
            how->get_object().erase("scheme");
        }
    result["pushNotificationConfig"] = std::move(config);
    return result;
}

object legacy_item(object item)
{
    if (value* const task = item.if_contains("task")) return legacy_task(std::move(task->get_object()));
    if (value* const message = item.if_contains("message")) return legacy_message(std::move(message->get_object()));
    if (value* const status = item.if_contains("statusUpdate")) {
        object update = std::move(status->get_object());
        update["kind"] = "status-update";
        make_status_legacy(update);
        update["final"] = ends_stream(update);
        return update;
    }
    object update = std::move(item.at("artifactUpdate").get_object());
    update["kind"] = "artifact-update";
    if (value* const artifact = update.if_contains("artifact"))
        *artifact = legacy_artifact(std::move(artifact->get_object()));
    return update;
}

object current_content(object part)
{
    const value* const kind = part.if_contains("kind");
    if (!kind) return part;
    const bool is_file = *kind == value("file");
    part.erase("kind");
    value* const given = is_file ? part.if_contains("file") : nullptr;
    if (!given || !given->is_object()) return part;
    object file = std::move(given->get_object());
    part.erase("file");
    for (const auto& [from, to] : {std::pair{"bytes", "raw"}, std::pair{"uri", "url"},
                                   std::pair{"mimeType", "mediaType"}, std::pair{"name", "filename"}})
        if (value* const found = file.if_contains(from)) part[to] = std::move(*found);
    return part;
}

}  // namespace weft::serve_detail
