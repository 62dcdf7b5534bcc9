#include "a2a_progress.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cctype>
#include <utility>

namespace weft::agent_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

std::string item_text(const object& from, std::string_view name)
{
    const value* const found = from.if_contains(name);
    return found && found->is_string() ? std::string{found->get_string()} : std::string{};
}

const array* item_list(const object& from, std::string_view name)
{
    const value* const found = from.if_contains(name);
    return found ? found->if_array() : nullptr;
}

/** `input-required` of `TASK_STATE_INPUT_REQUIRED`. */
std::string state_named(std::string_view name)
{
    constexpr std::string_view prefix{"TASK_STATE_"};
    if (!name.starts_with(prefix)) return std::string{name};
    std::string state{name.substr(prefix.size())};
    for (char& c : state) c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return state;
}

/** The texts of a message or an artifact, a line between two. */
std::string text_of_parts(const object& from)
{
    std::string text;
    const array* const parts = item_list(from, "parts");
    if (!parts) return text;
    for (const value& part : *parts)
        if (const object* const of = part.if_object())
            if (const std::string said = item_text(*of, "text"); !said.empty())
                text.append(text.empty() ? "" : "\n").append(said);
    return text;
}

/** Questions as servers of weft tell them. */
const array* questions_in(const object& message)
{
    const array* const parts = item_list(message, "parts");
    if (!parts) return nullptr;
    for (const value& part : *parts) {
        const object* const of = part.if_object();
        const value* const data = of ? of->if_contains("data") : nullptr;
        if (!data || !data->is_object()) continue;
        if (const array* const questions = item_list(data->get_object(), "questions")) return questions;
    }
    return nullptr;
}

}  // namespace

// Ids come with every item; an item without them is about the same task.
void a2a_progress::note_names(const object& of, std::string_view task_name)
{
    if (std::string id = item_text(of, task_name); !id.empty()) task_ = std::move(id);
    if (std::string id = item_text(of, "contextId"); !id.empty()) context_ = std::move(id);
}

void a2a_progress::take(const object& item)
{
    const auto inner = [&](std::string_view name) {
        const value* const found = item.if_contains(name);
        return found ? found->if_object() : nullptr;
    };
    const std::string kind = item_text(item, "kind");  // of 0.3
    if (const object* const task = inner("task")) return take_task(*task);
    if (const object* const message = inner("message"); message && kind.empty()) return take_message(*message);
    const object* const status = kind == "status-update" ? &item : inner("statusUpdate");
    const object* const output = kind == "artifact-update" ? &item : inner("artifactUpdate");
    if (status) {
        note_names(*status, "taskId");
        take_status(status->if_contains("status"), true);
    } else if (output) {
        note_names(*output, "taskId");
        const value* const given = output->if_contains("artifact");
        const value* const appends = output->if_contains("append");
        if (given && given->is_object()) take_artifact(given->get_object(), appends && *appends == value(true));
    } else if (kind == "message") {
        take_message(item);
    } else if (item.contains("id") && item.contains("status")) {
        take_task(item);  // a task alone, as GetTask gives it
    }
}

void a2a_progress::take_task(const object& task)
{
    note_names(task, "id");
    take_status(task.if_contains("status"), false);
    const array* const artifacts = item_list(task, "artifacts");
    if (!artifacts) return;
    artifacts_.clear();
    for (const value& one : *artifacts)
        if (const object* const given = one.if_object()) take_artifact(*given, false);
    tell_all();
}

/** An agent may answer with a message alone: that is its output. */
void a2a_progress::take_message(const object& message)
{
    note_names(message, "taskId");
    state_ = "completed";
    has_moved_ = true;
    take_artifact(message, false);
}

void a2a_progress::take_status(const value* status, bool is_update)
{
    const object* const of = status ? status->if_object() : nullptr;
    if (!of) return;
    state_ = state_named(item_text(*of, "state"));
    has_moved_ = is_update;
    const value* const message = of->if_contains("message");
    asked_ = message && message->is_object() ? message->get_object() : object{};
    if (!is_update || rests()) return;
    if (const std::string said = text_of_parts(asked_); !said.empty()) tell_("progress", said);
}

// A piece goes to the artifact of its id, or takes its place: both are pieces of one text for watchers.
void a2a_progress::take_artifact(const object& given, bool appends)
{
    const std::string id = item_text(given, "artifactId");
    auto known = std::find_if(artifacts_.begin(), artifacts_.end(), [&](const artifact& one) { return one.id == id; });
    const bool is_new = known == artifacts_.end();
    if (is_new) known = artifacts_.insert(artifacts_.end(), artifact{id, {}, {}, false});
    else if (!appends) *known = artifact{id, {}, {}, false};
    const bool is_last = known + 1 == artifacts_.end();
    std::string added;
    const array* const parts = item_list(given, "parts");
    if (!parts) return;
    for (const value& part : *parts) {
        const object* const of = part.if_object();
        if (!of) continue;
        if (of->contains("text")) added.append(item_text(*of, "text"));
        else if (const value* const data = of->if_contains("data")) known->data.push_back(*data);
        else known->has_files = true;
    }
    known->text.append(added);
    // The usual case: the piece goes on where watchers are.
    if (appends && !is_new && is_last) {
        if (!added.empty()) tell_("output", added);
        told_.append(added);
        return;
    }
    tell_all();
}

std::string a2a_progress::whole_text() const
{
    std::string text;
    for (const artifact& one : artifacts_) {
        if (one.text.empty()) continue;
        text.append(text.empty() ? "" : "\n").append(one.text);
    }
    return text;
}

/** What was told stays, if it is the beginning of what there is; else it does not count. */
void a2a_progress::tell_all()
{
    const std::string whole = whole_text();
    if (!std::string_view{whole}.starts_with(told_)) {
        tell_("retract", "");
        told_.clear();
    }
    const std::string_view rest = std::string_view{whole}.substr(told_.size());
    if (!rest.empty()) tell_("output", rest);
    told_ = whole;
}

// States that are not known end the wait as well: a later version may have others that nothing follows.
bool a2a_progress::rests() const noexcept
{
    return !state_.empty() && state_ != "submitted" && state_ != "working" && state_ != "unspecified";
}

object a2a_progress::outcome() const
{
    object outcome{{"task", task_}, {"context", context_}, {"state", state_}, {"said", text_of_parts(asked_)}};
    if (const array* const questions = questions_in(asked_)) outcome["questions"] = *questions;
    std::string text = whole_text();
    std::vector<value> data;
    for (const artifact& one : artifacts_) data.insert(data.end(), one.data.begin(), one.data.end());
    if (text.empty() && data.size() == 1) {
        outcome["output"] = data.front();
        return outcome;
    }
    for (const value& one : data) text.append(text.empty() ? "" : "\n").append(boost::json::serialize(one));
    if (text.empty() && state_ == "completed") text = text_of_parts(asked_);
    outcome["output"] = text;
    return outcome;
}

}  // namespace weft::agent_detail
