#include "commands.hpp"

#include "store/store_place.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/shell_word.hpp"
#include "thread/thread_status.hpp"

#include <weft/engine/durable_engine.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <utility>

namespace weft_cli {

namespace {

struct revive_args {
    store_args store = {};
    std::string thread = {};
};

weft::task<int> revive(weft::checkpoint_store& store, const store_place& place, const revive_args& args)
{
    const weft::thread_key thread{args.thread, place.tenant};
    co_await require_thread(store, place, thread);
    weft::durable_engine durable{store, std::make_shared<weft::durable_graphs>()};
    co_await durable.open();
    const bool is_revived = co_await durable.revive(thread);
    co_await durable.close();
    const std::string name = console::harmless_line(args.thread);
    if (!is_revived) {
        std::cout << "Thread " << name << " has no run that died, failed or was stopped, with a checkpoint to go on "
                  << "from. One that died before its first checkpoint is run again with its input: weft run GRAPH "
                  << "--thread " << shell_word(args.thread) << '\n';
        co_return has_failed;
    }
    std::cout << "Thread " << name
              << " goes on as soon as a worker takes it, where its run was broken off.\n";
    co_return all_good;
}

constexpr const char* revive_footer =
    R"(A run that has ended several processes is dead, and no worker takes it. When the cause is mended, this makes
it ready again, where it stood, with the same keys for its effects. weft resume
goes on with it at once, here.

Example:
  weft revive trip --store postgresql://me@host/db

Exit status: 0 revived, 1 nothing to go on with, or the store is in use or away, 2 wrong usage, no store, no such
thread.)";

}  // namespace

void add_revive_command(CLI::App& app, int& exit_code)
{
    const auto args = std::make_shared<revive_args>();
    CLI::App& command = *app.add_subcommand("revive", "Make a run that is dead ready for the next worker");
    command.add_option("THREAD", args->thread, "Name of the thread")->required()->type_name("");
    add_store_options(command, args->store);
    command.footer(revive_footer);
    command.callback([args, &exit_code] {
        exit_code = run_on_store("revive", args->store, store_use::change,
                                 [args](weft::checkpoint_store& store, const store_place& place) {
                                     return revive(store, place, *args);
                                 });
    });
}

}  // namespace weft_cli
