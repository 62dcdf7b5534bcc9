#include "commands.hpp"

#include "graph/graph_file.hpp"
#include "graph/problem.hpp"
#include "store/question_text.hpp"
#include "store/store_place.hpp"
#include "store/store_problem.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/output_file.hpp"
#include "terminal/people_lines.hpp"
#include "thread/checkpoint_text.hpp"
#include "thread/thread_status.hpp"

#include <weft/base/json/json_text.hpp>
#include <weft/engine/checkpoint/newest_checkpoint.hpp>
#include <weft/engine/trace/run_event_json.hpp>
#include <weft/serve/run_as_html.hpp>
#include <weft/store/role/run_directory.hpp>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft_cli {

namespace {

struct show_args {
    store_args store = {};
    std::string thread = {};
    std::optional<std::int64_t> sequence = {};
    std::string other = {};
    bool is_json = false;
    std::string page = {};   // where the newest run goes as a page
    std::string graph = {};  // the file of its graph
    foreign_names foreign = {};
};

struct read_checkpoint {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    read_checkpoint() {}

    weft::checkpoint_info info;
    weft::checkpoint_outline outline;
};

/** What is open in a thread, which concerns its newest checkpoint. */
struct open_matters {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    open_matters() {}

    thread_status status;
    std::vector<weft::open_question> questions;
    std::vector<weft::effect_record> effects;
};

/** @par Errors  `usage_error` instead of nothing. */
weft::task<std::optional<weft::checkpoint>> load_required(weft::checkpoint_store& store, const store_place& place,
                                                          weft::thread_key thread,
                                                          std::optional<std::int64_t> sequence)
{
    co_return co_await require_checkpoint(store, place, std::move(thread), sequence);
}

weft::task<read_checkpoint> read(weft::checkpoint_store& store, const store_place& place, weft::thread_key thread,
                                 std::optional<std::int64_t> sequence)
{
    read_checkpoint result;
    const auto load = [&] { return load_required(store, place, thread, sequence); };
    const auto read_whole = [&](const weft::checkpoint& found) {
        result.info = found;
        return weft::read_outline(store, thread, found, weft::outline_depth::place_and_state);
    };
    std::optional<weft::checkpoint_outline> outline =
        co_await weft::read_newest<weft::checkpoint_outline>(load, read_whole);
    result.outline = std::move(*outline);
    co_return result;
}

weft::task<open_matters> read_open_matters(weft::checkpoint_store& store, const store_place& place,
                                           weft::thread_key thread)
{
    open_matters open;
    open.status = co_await status_of(store, place, thread);
    open.questions = co_await read_questions(store, thread);
    open.effects = co_await read_effects(store, thread);
    co_return open;
}

std::string visits_text(const weft::checkpoint_outline& outline)
{
    std::string text;
    for (const auto& [node, count] : outline.visits)
        text += (text.empty() ? "" : ", ") + console::harmless_line(node) + " " + std::to_string(count);
    return text;
}

std::string place_text(const read_checkpoint& at, const console::screen& screen)
{
    people_lines lines;
    lines.add("what", console::harmless_line(what_text(at.info)));
    lines.add("made", weft::to_utc_text(at.info.at) + ", " + bytes_text(at.info.bytes));
    lines.add("graph", console::harmless_line(at.info.graph) + ", shape " + at.info.graph_hash);
    if (!at.info.run.is_nil()) lines.add("run", at.info.run.text());
    if (!at.info.copy_of.is_nil()) lines.add("copy of", at.info.copy_of.text());
    if (!at.info.label.empty()) lines.add("label", console::harmless_line(at.info.label));
    lines.add("next", at.outline.is_unfinished ? names_text(at.outline.next_nodes) : "nothing: its run was over");
    lines.add("steps", std::to_string(at.outline.steps) +
                           (at.outline.retries > 0 ? ", " + std::to_string(at.outline.retries) + " retries" : ""));
    if (!at.outline.visits.empty()) lines.add("visits", visits_text(at.outline));
    return lines.text(screen);
}

std::string state_text(const boost::json::object& state, const console::screen& screen)
{
    people_lines lines;
    for (const boost::json::key_value_pair& value : state)
        lines.add(console::harmless_line(std::string_view{value.key()}), value_text(value.value()));
    return lines.is_empty() ? "  (no values)\n" : lines.text(screen, 2);
}

std::string effects_text(const open_matters& open)
{
    std::string in_doubt;
    for (const weft::effect_record& effect : open.effects)
        if (effect.phase == weft::effect_phase::intended)
            in_doubt += "  " + console::harmless_line(effect.address + ", key " + effect.key) + "\n";
    if (in_doubt.empty()) return "";
    const bool is_running = open.status.word == name_of(weft::run_phase::running);
    if (is_running) return "Effects under way, or in doubt\n" + in_doubt;
    return "Effects in doubt: begun, and nobody knows whether they happened\n" + in_doubt;
}

void tell_text(const read_checkpoint& at, const open_matters* open, const std::string& thread)
{
    const console::screen screen;
    std::string text = screen.styled("Checkpoint " + std::to_string(at.info.sequence), "1") + " of thread " +
                       console::harmless_line(thread) + (open ? ", its newest\n" : "\n");
    text += place_text(at, screen);
    text += "State\n" + state_text(at.outline.state, screen);
    for (const weft::checkpoint_outline::finished_branch& branch : at.outline.finished)
        text += "Written by the branch of " + console::harmless_line(branch.node) + ", which has finished\n" +
                state_text(branch.writes, screen);
    if (open) {
        text += "Thread: " + console::harmless_line(open->status.text()) + "\n";
        if (!open->questions.empty()) text += "Open questions\n" + questions_text(open->questions);
        text += effects_text(*open);
    }
    std::cout << text;
}

boost::json::object whole_json(const read_checkpoint& at, const open_matters* open)
{
    boost::json::object json = to_json(at.info, at.outline);
    json.emplace("state", at.outline.state);
    if (!open) return json;
    json.emplace("status", open->status.word);
    boost::json::array questions;
    for (const weft::open_question& each : open->questions) questions.push_back(to_json(each));
    json.emplace("questions", std::move(questions));
    boost::json::array effects;
    for (const weft::effect_record& each : open->effects) effects.push_back(to_json(each));
    json.emplace("effects", std::move(effects));
    return json;
}

weft::task<int> show_difference(weft::checkpoint_store& store, const store_place& place, const show_args& args)
{
    const weft::thread_key thread{args.thread, place.tenant};
    const auto [other, sequence] = checkpoint_named("--diff", args.other, thread);
    const read_checkpoint before = co_await read(store, place, other, sequence);
    const read_checkpoint after = co_await read(store, place, thread, args.sequence);
    const weft::snapshot_difference difference = compare(before.outline, after.outline);
    if (args.is_json) {
        std::cout << weft::to_json_text(to_json(difference)) << '\n';
        co_return all_good;
    }
    std::cout << "From checkpoint " << before.info.sequence << " of " << console::harmless_line(other.thread)
              << " to checkpoint " << after.info.sequence << " of " << console::harmless_line(thread.thread) << '\n'
              << difference_text(difference, console::screen{});
    co_return all_good;
}

weft::task<int> show(weft::checkpoint_store& store, const store_place& place, const show_args& args)
{
    const weft::thread_key thread{args.thread, place.tenant};
    const read_checkpoint at = co_await read(store, place, thread, args.sequence);
    const open_matters open = co_await read_open_matters(store, place, thread);
    const bool is_newest = open.status.head && open.status.head->sequence == at.info.sequence;
    if (args.is_json) std::cout << weft::to_json_text(whole_json(at, is_newest ? &open : nullptr)) << '\n';
    else tell_text(at, is_newest ? &open : nullptr, args.thread);
    co_return all_good;
}

weft::task<int> write_page(const opened_store& opened, const store_place& place, const show_args& args, weft::graph of)
{
    weft::run_query query;
    query.tenant = place.tenant;
    query.thread = args.thread;
    query.count_max = 1;
    const weft::run_page found = co_await opened.service->runs().search(std::move(query));
    std::optional<weft::run_record> run;
    if (!found.runs.empty()) run = co_await opened.runs->find_run(found.runs.front().id);
    if (!run) throw usage_error{args.thread + ": the thread has no run in " + place.shown()};
    if (run->graph != of.name())
        throw usage_error{args.graph + ": it has the graph '" + std::string{of.name()} + "', and the run is one of '" +
                          run->graph + "'"};
    const std::string page = co_await weft::run_as_html(*opened.service, std::move(*run), std::move(of));
    const std::string why = write_output(args.page, page);
    if (!why.empty()) throw usage_error{"cannot write " + args.page + ": " + why};
    co_return all_good;
}

int show_page(const show_args& args)
{
    if (args.graph.empty())
        return tell_wrong("show", usage_error{"--html: name the file of the graph as well, with --graph FILE: it says "
                                              "how the run is drawn"});
    const graph_file file = graph_file_reader{args.foreign}.read(args.graph);
    if (const int trouble = tell_mistakes("show", file); trouble != all_good) return trouble;
    return run_on_whole_store("show", args.store, store_use::look,
                              [&](const opened_store& opened, const store_place& place) {
                                  return write_page(opened, place, args, file.loaded->what);
                              });
}

}  // namespace

void add_show_command(CLI::App& app, int& exit_code)
{
    const auto args = std::make_shared<show_args>();
    CLI::App& command = *app.add_subcommand("show", "Show a checkpoint: its state, where it stands, what is open");
    command.add_option("THREAD", args->thread, "Name of the thread")->required()->type_name("");
    command.add_option("NUMBER", args->sequence, "Of the checkpoint; left out: the newest")->type_name("");
    command.add_option("--diff", args->other, "Say what has changed since this checkpoint, of this or another thread")
        ->type_name("[THREAD@]NUMBER");
    command.add_flag("--json", args->is_json, "Write one JSON object, with the whole state");
    command.add_option("--html", args->page, "Write the newest run as one page for browsers, without a server")
        ->type_name("OUT");
    command.add_option("--graph", args->graph, "The graph file of the run, for --html")->type_name("FILE");
    add_foreign_names(command, args->foreign);
    add_store_options(command, args->store);
    command.footer(R"(Of the newest checkpoint also what is open: how the thread stands, questions that wait for
answers, and effects in doubt: begun before a crash, so that nobody knows whether they happened.

Examples:
  weft show trip
  weft show trip 4 --json | jq .state
  weft show trip 12 --diff 4
  weft show trip --diff other-trip@7
  weft show trip --html trip.html --graph trip.json

Exit status: 0 shown, 1 the store says no, 2 wrong usage, no store, no such checkpoint.)");
    command.callback([args, &exit_code] {
        if (!args->page.empty()) {
            exit_code = show_page(*args);
            return;
        }
        exit_code = run_on_store("show", args->store, store_use::look,
                                 [args](weft::checkpoint_store& store, const store_place& place) {
                                     return args->other.empty() ? show(store, place, *args)
                                                                 : show_difference(store, place, *args);
                                 });
    });
}

}  // namespace weft_cli
