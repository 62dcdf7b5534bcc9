#include "commands.hpp"

#include "store/store_place.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_codes.hpp"
#include "thread/thread_status.hpp"

#include <iostream>
#include <memory>
#include <optional>
#include <string>

namespace weft_cli {

namespace {

struct signal_args {
    store_args store = {};
    std::string thread = {};
};

/** What has become of a run that was asked, for people. */
std::string told_text(weft::run_signal what, const std::optional<weft::run_record>& run)
{
    if (!run || weft::is_over(run->phase)) return "It is stopped; what was done is kept.";
    if (run->phase == weft::run_phase::running)
        return what == weft::run_signal::pause ? "Asked its process to pause when the running nodes have ended."
                                               : "Asked its process to stop.";
    return run->phase == weft::run_phase::waiting ? "It waits already." : "It will, as soon as a process takes it.";
}

weft::task<int> ask(weft::checkpoint_store& store, const store_place& place, const signal_args& args,
                    weft::run_signal what)
{
    const weft::thread_key thread{args.thread, place.tenant};
    co_await require_thread(store, place, thread);
    const std::optional<weft::run_id> told = co_await store.signal(thread, what);
    if (!told) {
        std::cout << "No run of thread " << console::harmless_line(args.thread) << " is under way.\n";
        co_return has_failed;
    }
    const std::optional<weft::run_record> run = co_await store.find_run(*told);
    std::cout << told_text(what, run) << '\n';
    co_return all_good;
}

constexpr const char* signal_footer = R"(It works from any process and machine, for runs in PostgreSQL. A file has one
process that writes: there, press Ctrl-C where the run was started, or kill -INT its process; what is done is kept, and
weft resume goes on.

Example:
  weft %s trip --store postgresql://me@host/db

Exit status: 0 asked, 1 no run is under way, or the store is in use or away, 2 wrong usage, no store, no such thread.)";

void add_signal_command(CLI::App& app, int& exit_code, const std::string& name, const char* about,
                        weft::run_signal what)
{
    const auto args = std::make_shared<signal_args>();
    CLI::App& command = *app.add_subcommand(name, about);
    command.add_option("THREAD", args->thread, "Name of the thread")->required()->type_name("");
    add_store_options(command, args->store);
    std::string footer = signal_footer;
    footer.replace(footer.find("%s"), 2, name);
    command.footer(footer);
    command.callback([args, name, what, &exit_code] {
        exit_code = run_on_store(name, args->store, store_use::change,
                                 [args, what](weft::checkpoint_store& store, const store_place& place) {
                                     return ask(store, place, *args, what);
                                 });
    });
}

}  // namespace

void add_pause_command(CLI::App& app, int& exit_code)
{
    add_signal_command(app, exit_code, "pause", "Pause the run of a thread when its running nodes have ended",
                       weft::run_signal::pause);
}

void add_stop_command(CLI::App& app, int& exit_code)
{
    add_signal_command(app, exit_code, "stop", "Stop the run of a thread at once; what is done is kept",
                       weft::run_signal::cancel);
}

}  // namespace weft_cli
