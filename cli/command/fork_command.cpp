#include "commands.hpp"

#include "graph/graph_file.hpp"
#include "graph/problem.hpp"
#include "graph/run_input.hpp"
#include "store/store_place.hpp"
#include "store/store_problem.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/list_option.hpp"
#include "terminal/shell_word.hpp"
#include "thread/saved_session.hpp"
#include "thread/thread_status.hpp"

#include <weft/async/task/task_context.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/graph/node/command.hpp>

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft_cli {

namespace {

struct fork_args {
    store_args store = {};
    std::string from = {};
    std::int64_t sequence = 0;
    std::string into = {};
    std::vector<std::string> values = {};
    std::string graph = {};
    foreign_names foreign = {};
};

/** What is changed, and the graph that knows the keys. */
struct fork_edits {
    std::optional<weft::loaded_graph> loaded = {};
    boost::json::object values = {};

    [[nodiscard]] weft::state_update update() const
    {
        weft::state_update made;
        const weft::state_layout& layout = *loaded->what.layout();
        for (const boost::json::key_value_pair& value : values) {
            const std::uint32_t slot = layout.find(value.key());
            const weft::key_type& type = *layout[slot].type;
            const weft::any_state_key key{layout[slot].name, weft::hash_of_name(layout[slot].name), &type};
            made.items().push_back({key, type.value->from_json(value.value()), true});
        }
        return made;
    }
};

weft::task<int> fork_plainly(weft::checkpoint_store& store, weft::thread_key from, std::int64_t sequence,
                             weft::thread_key into)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    weft::id_source ids{loop.clock(), loop.random()};
    const bool is_made = co_await store.fork(from, sequence, into, ids.next<weft::checkpoint_id>());
    if (!is_made) throw usage_error{"there is a thread '" + into.thread + "' already: name a new one"};
    co_return all_good;
}

weft::task<int> fork_with(weft::checkpoint_store& store, weft::thread_key from, std::int64_t sequence,
                          weft::thread_key into, const fork_edits& edits)
{
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(edits.loaded->what);
    weft::durable_engine durable{store, graphs};
    co_await durable.open();
    static_cast<void>(co_await durable.fork(from, sequence, into, edits.update()));
    co_await durable.close();
    co_return all_good;
}

weft::task<int> fork(weft::checkpoint_store& store, const store_place& place, const fork_args& args,
                     const fork_edits& edits)
{
    const weft::thread_key from{args.from, place.tenant};
    const weft::thread_key into{args.into, place.tenant};
    const weft::checkpoint source = co_await require_checkpoint(store, place, from, args.sequence);
    weft::task<std::vector<weft::checkpoint_info>> looking = store.history(into, weft::history_page{.count_max = 1});
    const std::vector<weft::checkpoint_info> taken = co_await std::move(looking);
    if (!taken.empty()) throw usage_error{"there is a thread '" + args.into + "' already: name a new one"};
    weft::task<int> forking = edits.loaded ? fork_with(store, from, source.sequence, into, edits)
                                           : fork_plainly(store, from, source.sequence, into);
    const int exit_code = co_await std::move(forking);
    const std::string graph_option = args.graph.empty() ? "" : " --graph " + shell_word(args.graph);
    std::cout << "Thread " << console::harmless_line(args.into) << " stands where checkpoint " << source.sequence
              << " of " << console::harmless_line(args.from) << " stood"
              << (edits.values.empty() ? "" : ", with values changed") << ". To go on:\n  weft resume "
              << shell_word(args.into) << graph_option << place.option() << '\n';
    co_return exit_code;
}

int fork_as_said(const fork_args& args)
{
    fork_edits edits;
    if (!args.values.empty()) {
        const store_place place = store_place::of(args.store, weft::process_environment());
        const std::string file = graph_file_of(args.graph, place, weft::thread_key{args.from, place.tenant});
        if (!file.empty()) {
            graph_file read = graph_file_reader{args.foreign}.read(file);
            if (tell_mistakes("fork", read) != all_good) return wrong_usage;
            edits.loaded = std::move(read.loaded);
            edits.values = read_inputs(args.values, edits.loaded->spec, std::cin, "--set");
        }
    }
    return run_on_store("fork", args.store, store_use::change,
                        [&](weft::checkpoint_store& store, const store_place& place) {
                            return fork(store, place, args, edits);
                        });
}

}  // namespace

void add_fork_command(CLI::App& app, int& exit_code)
{
    const auto args = std::make_shared<fork_args>();
    CLI::App& command = *app.add_subcommand("fork", "Make a new thread out of a checkpoint, with values changed");
    command.add_option("THREAD", args->from, "Name of the thread")->required()->type_name("");
    command.add_option("NUMBER", args->sequence, "Of its checkpoint; weft history lists them")
        ->required()
        ->type_name("");
    command.add_option("NEW", args->into, "Name of the new thread")->required()->type_name("");
    add_list(command, "--set", args->values, "A value to change; again for each further one")
        ->type_name("KEY=VALUE|@FILE");
    command
        .add_option("--graph", args->graph,
                    "The graph file, for --set; left out: NAME.json or NAME.yaml, by the graph's name")
        ->type_name("FILE");
    add_foreign_names(command, args->foreign);
    add_store_options(command, args->store);
    command.footer(R"(The new thread has a history of its own; the old one stays as it is. Values are written as for
weft run --input, and replace what was there.

Examples:
  weft fork trip 4 trip-by-train --set means=train && weft resume trip-by-train
  weft fork trip 4 trip-2 --set 'cities=["Hanoi", "Hue"]' --graph graphs/trip.json

Exit status: 0 forked, 1 the store says no, 2 wrong usage, no store, no such checkpoint.)");
    command.callback([args, &exit_code] {
        try {
            exit_code = fork_as_said(*args);
        } catch (const usage_error& e) {
            exit_code = tell_wrong("fork", e);
        } catch (const weft::error& e) {
            exit_code = tell_wrong("fork", e);
        }
    });
}

}  // namespace weft_cli
