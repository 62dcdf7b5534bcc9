#include "views.hpp"

#include "checkpoint_text.hpp"
#include "run_notes.hpp"
#include "serve/state/state_text.hpp"
#include "serve/state/state_wire.hpp"
#include "stream_frames.hpp"

#include <weft/base/json.hpp>
#include <weft/graph/node/question.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <cstdio>
#include <ctime>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

/** What the server has added to the metadata of a run, so that it can say it again. */
std::string take_text(object& from, std::string_view name)
{
    std::string result;
    if (const value* const found = from.if_contains(name); found && found->is_string()) result = found->get_string();
    return result;
}

object run_view(const run_id& id, const thread_key& thread, run_phase phase, std::string_view metadata_text,
                wall_time created, wall_time changed)
{
    object metadata = object_in(metadata_text);
    const std::string assistant = take_text(metadata, "assistant_id");
    std::string strategy = take_text(metadata, run_notes::strategy);
    run_notes::erase_own(metadata);  // clients did not say these
    if (strategy.empty()) strategy = "enqueue";
    return {{"run_id", id.text()},
            {"thread_id", thread.thread},
            {"assistant_id", assistant},
            {"created_at", iso_time(created)},
            {"updated_at", iso_time(changed)},
            {"status", status_for_client(phase)},
            {"metadata", std::move(metadata)},
            {"kwargs", object{}},
            {"multitask_strategy", strategy}};
}

std::string_view source_of(checkpoint_kind kind) noexcept
{
    return kind == checkpoint_kind::edit ? "update" : "loop";
}

}  // namespace

object checkpoint_view(std::string_view thread, std::int64_t sequence)
{
    return {{"thread_id", thread}, {"checkpoint_ns", ""}, {"checkpoint_id", checkpoint_text(sequence)}};
}

std::string iso_time(clock::system_time_point at)
{
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(at.time_since_epoch()).count();
    const std::time_t second = static_cast<std::time_t>(micros / 1'000'000);
    std::tm parts{};
    ::gmtime_r(&second, &parts);
    char text[96];
    // Python's `fromisoformat` before 3.11 reads neither a Z nor another number of digits.
    std::snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02d.%06d+00:00", parts.tm_year + 1900,
                  parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                  static_cast<int>(micros % 1'000'000));
    return text;
}

std::string_view status_for_client(run_phase phase) noexcept
{
    switch (phase) {
    case run_phase::queued:
    case run_phase::ready: return "pending";
    case run_phase::running: return "running";
    case run_phase::finished: return "success";
    case run_phase::waiting:
    case run_phase::cancelled: return "interrupted";
    case run_phase::failed:
    case run_phase::dead: break;
    }
    return "error";
}

std::string_view status_for_client(thread_phase phase) noexcept
{
    switch (phase) {
    case thread_phase::idle: return "idle";
    case thread_phase::busy: return "busy";
    case thread_phase::waiting: return "interrupted";
    case thread_phase::failed: break;
    }
    return "error";
}

object object_in(std::string_view text)
{
    try {
        value parsed = parse_own_json(text);
        if (parsed.is_object()) return std::move(parsed.get_object());
    } catch (const error&) {
        // What is stored by another program is not worth an error of a whole list.
    }
    return {};
}

object view_of(const assistant& shown)
{
    return {{"assistant_id", shown.id},
            {"graph_id", shown.graph},
            {"name", shown.name},
            {"description", shown.description.empty() ? value(nullptr) : value(shown.description)},
            {"config", object_in(shown.config)},
            {"context", object{}},
            {"metadata", object_in(shown.metadata)},
            {"version", shown.version},
            {"created_at", iso_time(shown.created)},
            {"updated_at", iso_time(shown.changed)}};
}

object view_of(const stored_thread& shown)
{
    object metadata = object_in(shown.metadata);
    run_notes::erase_own(metadata);
    return {{"thread_id", shown.thread.thread},
            {"created_at", iso_time(shown.created)},
            {"updated_at", iso_time(shown.changed)},
            {"state_updated_at", iso_time(shown.changed)},
            {"metadata", std::move(metadata)},
            {"status", status_for_client(shown.phase)},
            {"config", object{}},
            {"error", nullptr},
            {"values", shown.values.empty() || shown.values == "{}" ? value(nullptr) : value(object_in(shown.values))},
            {"interrupts", object{}}};
}

object view_of(const run_record& shown)
{
    return run_view(shown.id, shown.thread, shown.phase, shown.metadata, shown.created, shown.changed);
}

object view_of(const stored_run& shown)
{
    return run_view(shown.id, shown.thread, shown.phase, shown.metadata, shown.created, shown.changed);
}

object interrupt_view(const open_question& shown)
{
    // A program that shows questions wants what the graph says they are about, and needs no kind of field.
    if (!shown.asked.about.is_null()) return interrupt_of(shown.address, shown.asked.about);
    return interrupt_of(shown.address, to_json(shown.asked));
}

/** The nodes that would run next, with what they ask. */
array tasks_view(const thread_snapshot& of, const std::vector<open_question>& questions)
{
    array tasks;
    for (const std::string& node : of.next_nodes()) {
        array asked;
        for (const open_question& question : questions) {
            // `r17/outer#1/plan#2/ask#0`: the nodes with their visits, and the question.
            const bool is_its_own = question.address.find('/' + node + '#') != std::string::npos ||
                                    question.address.starts_with(node + '#');
            if (is_its_own) asked.push_back(interrupt_view(question));
        }
        tasks.push_back(object{{"id", node},
                               {"name", node},
                               {"path", array{"__pregel_pull", node}},
                               {"error", nullptr},
                               {"interrupts", std::move(asked)},
                               {"checkpoint", nullptr},
                               {"state", nullptr},
                               {"result", nullptr}});
    }
    return tasks;
}

task<std::string> state_view_text(std::string thread, thread_snapshot of, checkpoint_origin origin,
                                  std::vector<open_question> questions)
{
    const checkpoint_info& info = of.info();
    array next;
    for (const std::string& node : of.next_nodes()) next.push_back(value(node));
    array interrupts;
    for (const open_question& question : questions) interrupts.push_back(interrupt_view(question));
    object metadata{{"source", source_of(info.kind)},
                    {"step", info.step},
                    {"kind", name_of(info.kind)},
                    {"writes", nullptr},
                    {"graph_id", info.graph},
                    {"run_id", info.run.is_nil() ? value(nullptr) : value(info.run.text())}};
    if (origin.copy_of) metadata["forked_from"] = checkpoint_view(origin.copy_of->first.thread, origin.copy_of->second);
    const object rest{{"next", std::move(next)},
                      {"tasks", tasks_view(of, questions)},
                      {"interrupts", std::move(interrupts)},
                      {"metadata", std::move(metadata)},
                      {"created_at", iso_time(info.at)},
                      {"checkpoint_id", checkpoint_text(info.sequence)},
                      {"checkpoint", checkpoint_view(thread, info.sequence)},
                      {"parent_checkpoint", checkpoint_view(thread, origin.parent)}};
    std::string text = "{\"values\":";
    co_await append_state_text(text, of.state());
    text.push_back(',');
    text.append(boost::json::serialize(rest), 1);
    co_return text;
}

object empty_state_view(std::string_view thread, bool is_begun)
{
    const value none;
    return {{"values", object{}},
            {"next", array{}},
            {"tasks", array{}},
            {"interrupts", array{}},
            {"metadata", object{}},
            {"created_at", nullptr},
            {"checkpoint_id", is_begun ? value(checkpoint_text(0)) : none},
            {"checkpoint", is_begun ? checkpoint_view(thread, 0)
                                    : object{{"thread_id", thread}, {"checkpoint_ns", ""}, {"checkpoint_id", none}}},
            {"parent_checkpoint", nullptr}};
}

}  // namespace weft::serve_detail
