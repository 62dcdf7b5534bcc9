#include "commands.hpp"

#include "graph/run_input.hpp"
#include "run/run_setup.hpp"
#include "run/run_telemetry.hpp"
#include "serve/graph_process.hpp"
#include "serve/served_graph_options.hpp"
#include "store/store_problem.hpp"
#include "terminal/exit_codes.hpp"

#include <weft/base/environment.hpp>
#include <weft/base/error.hpp>
#include <weft/engine/runtime.hpp>
#include <weft/serve/worker.hpp>

#include <unistd.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace weft_cli {

namespace {

struct worker_args : run_args {
    std::vector<std::string> graphs = {};
    std::size_t concurrency = weft::worker_options{}.concurrency;
    std::string name = {};
    std::string health = {};
    std::string drain = {};
    std::size_t cores = 1;
    bool keeps_graphs = false;
};

/** For people: the machine and the process. */
std::string name_of_process()
{
    char host[256] = "weft";
    static_cast<void>(::gethostname(host, sizeof host - 1));
    return std::string{host} + '.' + std::to_string(::getpid());
}

weft::worker_options options_of_worker(const worker_args& args, const store_place& place,
                                       std::shared_ptr<weft::telemetry> telemetry)
{
    weft::worker_options options;
    options.concurrency = args.concurrency;
    const worker_times times = times_for(place);
    options.runs.lifetime = times.lifetime;
    options.runs.heartbeat_every = times.heartbeat;
    options.runs.keep_last = args.keep_last;
    options.runs.records_requests = args.records_requests;
    options.runs.names_graphs = true;
    options.telemetry = std::move(telemetry);
    options.runs.worker_name = args.name.empty() ? name_of_process() : args.name;
    if (!args.drain.empty())
        options.runs.drain_for =
            std::chrono::duration_cast<std::chrono::milliseconds>(span_of("--drain", args.drain, "30s"));
    options.on_error = [](std::string_view where, std::string_view what) {
        std::cerr << "weft worker: " << where << ": " << what << '\n';
    };
    return options;
}

class worker_host final : public graph_host {
public:
    worker_host(weft::serial_loop& loop, const weft::server_stores& stores, const served_files& files,
                const worker_args& args, const store_place& place)
    {
        weft::worker_options options =
            options_of_worker(args, place, telemetry_of(args.otlp, "worker", !args.health.empty(), run_log_of(args)));
        options.entries = files.entries();
        const std::size_t cores = args.cores > 0 ? args.cores : std::thread::hardware_concurrency();
        if (cores > 1) more_ = std::make_unique<weft::runtime>(cores - 1);
        options.more_loops = more_.get();
        const std::string name = options.runs.worker_name;
        worker_.emplace(loop, stores, files.graphs(), std::move(options));
        std::string names;
        for (const weft::served_graph& one : files.graphs())
            names.append(names.empty() ? "" : ", ").append(one.graph.name());
        std::cerr << "weft worker: " << name << " takes runs of " << names << " from " << place.shown() << ", "
                  << args.concurrency << " at once\n";
        if (args.health.empty()) return;
        const weft::listen_address at = worker_->listen_for_health(weft::listen_address{args.health});
        std::cerr << "weft worker: http://" << at.to_string() << "/readyz\n";
    }

    weft::task<void> run() override { return worker_->run(); }
    void drain() override { worker_->drain(); }
    weft::task<std::vector<weft::waiting_threads>> replace_graphs(std::vector<weft::served_graph> graphs,
                                                                  std::vector<weft::served_entry> entries) override
    {
        return worker_->replace_graphs(std::move(graphs), std::move(entries));
    }

private:
    std::unique_ptr<weft::runtime> more_;  // null: there is one loop
    std::optional<weft::worker> worker_;
};

/** A file is one process's. */
void require_shared(const store_place& place)
{
    if (place.what == store_place::kind::postgres) return;
    throw usage_error{"--store " + place.shown() +
                      ": one process has a file, and the one that serves it performs its runs as well (weft serve); "
                      "for workers beside it, name a database: --store postgresql://USER@HOST/DATABASE"};
}

int perform_runs(worker_args args)
{
    try {
        args.command = "worker";
        const store_place place = store_place::of(args.store, weft::process_environment());
        require_shared(place);
        static_cast<void>(options_of_worker(args, place, nullptr));
        graph_process process{.command = args.command,
                              .graphs = args.graphs,
                              .args = args,
                              .place = place,
                              .keeps_graphs = args.keeps_graphs,
                              .keeps_at_hangup = args.keeps_graphs,
                              .goodbye = "ends; its runs go on in other processes (again: at once)",
                              .make_host = {}};
        process.make_host = [&](weft::serial_loop& loop, const weft::server_stores& stores,
                                const served_files& files) -> std::unique_ptr<graph_host> {
            return std::make_unique<worker_host>(loop, stores, files, args, place);
        };
        return run_graph_process(process);
    } catch (const usage_error& e) {
        return tell_wrong("worker", e);
    } catch (const weft::error& e) {
        return tell_wrong("worker", e);
    }
}

constexpr const char* worker_footer =
    R"(A worker has no clients. It takes runs that weft serve, weft mcp and other programs have entered into the store,
and performs them with the graphs of its files. Start as many as the work needs, on as many machines; nothing tells them
of each other but the database.

  machine 1, 2   weft serve graphs/ --store postgresql://weft@db/weft --workers 0 --api-keys --listen 0.0.0.0:8123
  machines 3 to n weft worker graphs/ --store postgresql://weft@db/weft --concurrency 200

A worker that dies loses nothing: 6 s later the others go on with its runs, where they stood. One that gets SIGTERM
gives its runs back at once, and others take them in the same moment; a node that runs is stopped, and begins again
there. With --drain 30s it has half a minute to come to its end first.

It also begins the runs of crons and delivers webhooks, each once, however many processes there are.

--health says over HTTP how it stands: GET /readyz is 200 while its looks for work are answered, else 503, and GET
/metrics has metrics for Prometheus. Nothing there asks who calls.

A worker says which graphs it has, and in which revision, and gets only their runs. Graph files that change are loaded
again (--no-reload: they are kept), and the database hears of it at once. A run that stands where the new revision has
no place for it waits for a worker that has the one it began with; weft queue shows runs that no process can perform.

Each option can stand in the environment, under the name that is shown with it, or in the table [worker] of a file
(--config weft.toml). Models and secrets come from the environment, as for weft run.

Examples:
  weft worker graphs/ --store postgresql://weft@localhost/weft
  weft worker graphs/ --concurrency 200 --cores 4 --drain 30s --health 127.0.0.1:9100

Exit status: 0 after a drain, 1 if a second signal ended it, 2 if it could not begin.)";

}  // namespace

void add_worker_command(CLI::App& app, int& exit_code)
{
    const auto args = std::make_shared<worker_args>();
    CLI::App& command = *app.add_subcommand("worker", "Perform the runs that servers have entered into a database");
    add_graphs_option(command, args->graphs);
    command.add_option("--concurrency", args->concurrency, "Runs at once; those that wait for an answer do not count")
        ->type_name("N")
        ->envname("WEFT_WORKER_CONCURRENCY")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command.add_option("--name", args->name, "What people see of it in weft workers; else machine and process")
        ->type_name("NAME")
        ->envname("WEFT_WORKER_NAME");
    command.add_option("--health", args->health, "Say over HTTP whether it gets on, e.g. at 127.0.0.1:9100")
        ->type_name("ADDRESS")
        ->envname("WEFT_WORKER_HEALTH");
    command.add_option("--drain", args->drain, "Time for nodes to end after a signal, e.g. 30s; else 100ms")
        ->type_name("SPAN")
        ->envname("WEFT_WORKER_DRAIN");
    command.add_option("--cores", args->cores, "OS threads that run graphs; 0: one for each core")
        ->type_name("N")
        ->envname("WEFT_WORKER_CORES")
        ->check(CLI::Range(0, 256))
        ->capture_default_str();
    command.add_flag("--no-reload", args->keeps_graphs, "Keep the graphs when their files change")
        ->envname("WEFT_WORKER_NO_RELOAD");
    add_run_log_option(command, args->run_log);
    add_served_graph_options(command, *args);
    add_model_limit_options(command, *args);
    add_retention_options(command, args->retention);
    command.fallthrough();  // for --config, which is of the whole program
    command.footer(worker_footer);
    command.callback([args, &exit_code] { exit_code = perform_runs(*args); });
}

}  // namespace weft_cli
