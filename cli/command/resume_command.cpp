#include "resume_command.hpp"

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

struct resume_words : run_words {
    std::optional<std::int64_t> from = {};
    std::string into = {};
};

/** Says what is missing: no thread, or no store. */
int refuse_unknown(const resume_words& words)
{
    return run_on_store("resume", words.store, store_use::look,
                        [&words](weft::checkpoint_store& store, const store_place& place) -> weft::task<int> {
                            return refuse_missing_thread(store, place, words.thread);
                        });
}

kept_run_order order_of(const resume_words& words, const store_place& place)
{
    kept_run_order order;
    order.command = "resume";
    order.place = place;
    order.thread = weft::thread_key{words.from ? words.into : words.thread, place.tenant};
    order.how = words.from ? kept_run_order::way::replay : kept_run_order::way::go_on;
    if (words.from) {
        order.source = weft::thread_key{words.thread, place.tenant};
        order.from = *words.from;
    }
    return order;
}

void check_words(const resume_words& words)
{
    if (words.from && words.into.empty())
        throw usage_error{"--into is missing: --from runs again in a new thread; name it, e.g. --into " +
                          shell_word(words.thread + "-again")};
    if (!words.from && !words.into.empty()) throw usage_error{"--into " + words.into + " needs --from NUMBER"};
}

int resume_as_said(resume_words words)
{
    check_words(words);
    const store_place place = store_place::of(words.store, weft::process_environment());
    // A store keeps shapes, not files.
    words.file = graph_file_of(words.file, place, weft::thread_key{words.thread, place.tenant});
    if (words.file.empty()) return refuse_unknown(words);
    kept_run_order order = order_of(words, place);
    if (words.from) order.said = said_by_node(words.answers);
    else order.answers = words.answers;
    file_text file = read_graph_text(words.file);
    const run_surroundings around = surroundings_of(words, file, order.said);
    const std::optional<weft::loaded_graph> loaded = load_for_run("resume", words, std::move(file), around, true);
    if (!loaded) return wrong_usage;
    order.answers_by_node = said_to_nodes(order.answers, *loaded);
    check_answers(order.said, *loaded);
    check_answers(order.answers_by_node, *loaded);
    return run_and_keep(words, around, make_order(words, around, *loaded, std::move(order)));
}

int resume(const resume_words& words)
{
    try {
        const int exit_code = resume_as_said(words);
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
    const auto words = std::make_shared<resume_words>();
    CLI::App& command =
        *app.add_subcommand("resume", "Go on with a run that is kept: after a question, Ctrl-C or a crash");
    command.add_option("THREAD", words->thread, "Name of the thread")->required()->type_name("");
    command.add_option("--graph", words->file, "Its graph file; left out: NAME.json or NAME.yaml, by the graph's name")
        ->type_name("FILE");
    add_list(command, "--answer", words->answers, "An answer to a question that is open; again for each further one")
        ->type_name("[ADDRESS=]TEXT");
    command.add_option("--from", words->from, "Run again from this checkpoint")->type_name("NUMBER");
    command.add_option("--into", words->into, "The new thread of --from")->type_name("NAME");
    add_run_options(command, *words);
    add_keeping_options(command, *words);
    command.footer(resume_footer);
    command.callback([words, &exit_code] { exit_code = resume(*words); });
}

}  // namespace weft_cli
