#include "a2a_task.hpp"

#include "a2a_answers.hpp"
#include "serve/wire/views.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include <boost/json/array.hpp>

#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::size_t checkpoints_a_page = 100;
constexpr std::size_t pages_max = 20;  // of a thread's history that are looked through for a run's last checkpoint

/** What a run has left, whatever its thread did later; nothing if that is not kept. */
task<std::optional<state>> values_left(serve_core& core, run_record run)
{
    const std::optional<std::int64_t> last = co_await last_checkpoint_of(core, run);
    if (!last) co_return std::nullopt;
    try {
        const thread_snapshot left = co_await core.engine.read(run.thread, last);
        co_return left.state();
    } catch (const error& e) {
        const bool is_gone = e.code() == errc::thread_not_found || e.code() == errc::graph_changed ||
                             e.code() == errc::invalid_configuration;
        if (!is_gone) throw;
    }
    co_return std::nullopt;
}

object told_in(std::string_view metadata)
{
    object noted = object_in(metadata);
    value* const note = noted.if_contains(a2a_note);
    value* const told = note && note->is_object() ? note->get_object().if_contains("message") : nullptr;
    return told && told->is_object() ? std::move(told->get_object()) : object{};
}

}  // namespace

task<std::optional<std::int64_t>> last_checkpoint_of(serve_core& core, run_record run)
{
    history_page page;
    page.count_max = 1;  // most often it is the newest one
    for (std::size_t pages = 0; pages < pages_max; ++pages) {
        const std::vector<checkpoint_info> infos = co_await core.engine.history(run.thread, page);
        for (const checkpoint_info& info : infos) {
            if (info.run == run.id) co_return info.sequence;
            page.before = info.sequence;
        }
        if (infos.size() < page.count_max) break;
        page.count_max = checkpoints_a_page;
    }
    co_return std::nullopt;
}

task<a2a_task> a2a_task_of(serve_core& core, run_record run, bool with_output)
{
    a2a_task result;
    result.id = run.id;
    result.context = run.thread.thread;
    result.state = a2a_state_of(run.phase);
    result.at = run.changed;
    result.message = run.message;
    result.told = told_in(run.metadata);
    result.graph = core.find_graph(run.graph);
    if (run.phase == run_phase::waiting) {
        std::vector<open_question> questions = co_await core.engine.questions(run.thread);
        result.questions = std::move(questions);
    }
    if (with_output && run.phase == run_phase::finished) {
        std::optional<weft::state> values = co_await values_left(core, std::move(run));
        result.values = std::move(values);
    }
    co_return result;
}

a2a_task a2a_task_at_end(a2a_task before, run_ending ending)
{
    before.state = a2a_state_of(ending.phase);
    before.message = std::move(ending.message);
    before.questions = std::move(ending.questions);
    if (ending.phase == run_phase::finished) before.values = std::move(ending.values);
    before.at.reset();
    return before;
}

object a2a_status_view(const a2a_task& shown)
{
    object status{{"state", name_of(shown.state)}};
    if (shown.at) status["timestamp"] = a2a_time(*shown.at);
    const std::string id = shown.id.text();
    if (shown.state == a2a_state::input_required)
        status["message"] = a2a_asking(id, shown.context, shown.questions);
    else if (is_terminal(shown.state) && !shown.message.empty())
        status["message"] = object{{"messageId", id + ":end"},
                                   {"contextId", shown.context},
                                   {"taskId", id},
                                   {"role", "ROLE_AGENT"},
                                   {"parts", array{object{{"text", shown.message}}}}};
    return status;
}

value a2a_output(const a2a_task& of)
{
    if (!of.values || !of.graph) return nullptr;
    const chat_graph& chat = of.graph->chat;
    const std::string said = chat.answer(*of.values);
    if (said.empty()) return nullptr;
    // All values of a graph without words: clients get them as they are.
    const bool is_data = chat.messages_key().empty() && said.front() == '{';
    try {
        if (is_data) return parse_own_json(said);
    } catch (const error&) {
        // Words in braces.
    }
    return value(said);
}

object a2a_artifact(value output)
{
    object part;
    if (output.is_string()) part["text"] = std::move(output);
    else part = {{"data", std::move(output)}, {"mediaType", "application/json"}};
    return {{"artifactId", "output"}, {"name", "output"}, {"parts", array{std::move(part)}}};
}

object view_of(const a2a_task& shown, std::optional<std::size_t> history_length)
{
    const std::string id = shown.id.text();
    object view{{"id", id}, {"contextId", shown.context}, {"status", a2a_status_view(shown)}};
    if (value output = a2a_output(shown); !output.is_null())
        view["artifacts"] = array{a2a_artifact(std::move(output))};
    if (shown.told.empty() || history_length == std::size_t{0}) return view;
    object told = shown.told;
    told["taskId"] = id;
    told["contextId"] = shown.context;
    view["history"] = array{std::move(told)};
    return view;
}

}  // namespace weft::serve_detail
