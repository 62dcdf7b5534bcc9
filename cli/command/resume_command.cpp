#include "commands.hpp"

#include "graph/run_input.hpp"
#include "run/run_setup.hpp"
#include "store/store_problem.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/list_option.hpp"
#include "terminal/shell_word.hpp"
#include "thread/saved_session.hpp"
#include "thread/thread_status.hpp"

#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace weft_cli {

namespace {

struct resume_args : run_args {
    std::optional<std::int64_t> from = {};
    std::string into = {};
};

/** Says what is missing: no thread, or no store. */
int refuse_unknown(const resume_args& args)
{
    return run_on_store("resume", args.store, store_use::look,
                        [&args](weft::checkpoint_store& store, const store_place& place) -> weft::task<int> {
                            return refuse_missing_thread(store, place, args.thread);
                        });
}

saved_run_order order_of(const resume_args& args, const store_place& place)
{
    saved_run_order order;
    order.command = "resume";
    order.place = place;
    order.thread = weft::thread_key{args.from ? args.into : args.thread, place.tenant};
    order.how = args.from ? saved_run_order::way::replay : saved_run_order::way::go_on;
    if (args.from) {
        order.source = weft::thread_key{args.thread, place.tenant};
        order.from = *args.from;
    }
    return order;
}

void check_args(const resume_args& args)
{
    if (args.from && args.into.empty())
        throw usage_error{"--into is missing: --from runs again in a new thread; name it, e.g. --into " +
                          shell_word(args.thread + "-again")};
    if (!args.from && !args.into.empty()) throw usage_error{"--into " + args.into + " needs --from NUMBER"};
}

int resume_as_said(resume_args args)
{
    check_args(args);
    const store_place place = store_place::of(args.store, weft::process_environment());
    // A store keeps shapes, not files.
    args.file = graph_file_of(args.file, place, weft::thread_key{args.thread, place.tenant});
    if (args.file.empty()) return refuse_unknown(args);
    saved_run_order order = order_of(args, place);
    if (args.from) order.said = said_by_node(args.answers);
    else order.answers = args.answers;
    file_text file = read_graph_text(args.file);
    const run_surroundings around = surroundings_of(args, file, order.said);
    const std::optional<weft::loaded_graph> loaded = load_for_run("resume", args, std::move(file), around, true);
    if (!loaded) return wrong_usage;
    order.answers_by_node = said_to_nodes(order.answers, *loaded);
    check_answers(order.said, *loaded);
    check_answers(order.answers_by_node, *loaded);
    return run_and_keep(args, around, make_order(args, around, *loaded, std::move(order)));
}

int resume(const resume_args& args)
{
    try {
        const int exit_code = resume_as_said(args);
        std::cout.flush();
        // A name lookup that the system is still busy with cannot be stopped, and would be waited for.
        if (exit_code == has_failed || exit_code > has_paused) std::quick_exit(exit_code);
        return exit_code;
    } catch (const usage_error& e) {
        return tell_wrong("resume", e);
    } catch (const weft::error& e) {
        return tell_wrong("resume", e);
    }
}

constexpr const char* resume_footer =
    R"(It goes on with a run that waits, that failed, that Ctrl-C stopped, or whose program was killed: what has
completed does not run again, and of a run that failed only the nodes that failed or were cut short do.
A store keeps the shapes of graphs, not their files: without --graph the file NAME.json or NAME.yaml in the current
folder is taken, NAME being the name of the thread's graph. If the graph has changed, the run goes on as long as
nothing is missing that it needs; weft compat says so beforehand.

--answer takes ADDRESS=TEXT, NODE=TEXT if that node asks one question only, or TEXT if there is only one question. What
is said to a node that does not ask yet is kept for when it does. Other questions are asked at the terminal, if there is
one; without, the run waits again.
--from begins at an earlier checkpoint, in a new thread: what follows it is run again.
There --answer takes NODE=TEXT.

Examples:
  weft resume trip
  weft resume trip --graph graphs/trip.json --answer 'review#1/ask#0=send'
  weft resume trip --answer yes
  weft resume trip --from 4 --into trip-again

Exit status: as of weft run.)";

}  // namespace

void add_resume_command(CLI::App& app, int& exit_code)
{
    const auto args = std::make_shared<resume_args>();
    CLI::App& command =
        *app.add_subcommand("resume", "Go on with a run that is kept: after a question, Ctrl-C or a crash");
    command.add_option("THREAD", args->thread, "Name of the thread")->required()->type_name("");
    command.add_option("--graph", args->file, "Its graph file; left out: NAME.json or NAME.yaml, by the graph's name")
        ->type_name("FILE");
    add_list(command, "--answer", args->answers, "An answer to a question that is open; again for each further one")
        ->type_name("[ADDRESS=]TEXT");
    command.add_option("--from", args->from, "Run again from this checkpoint")->type_name("NUMBER");
    command.add_option("--into", args->into, "The new thread of --from")->type_name("NAME");
    add_run_options(command, *args);
    add_keeping_options(command, *args);
    command.footer(resume_footer);
    command.callback([args, &exit_code] { exit_code = resume(*args); });
}

}  // namespace weft_cli
