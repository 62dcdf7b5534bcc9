#include "commands.hpp"

#include "run/run_registry.hpp"
#include "run/run_setup.hpp"
#include "run/run_telemetry.hpp"
#include "serve/graph_reloader.hpp"
#include "serve/served_files.hpp"
#include "serve/served_graph_options.hpp"
#include "store/run_memory.hpp"
#include "store/store_place.hpp"
#include "store/store_problem.hpp"
#include "terminal/exit_codes.hpp"

#include <weft/async/async_start.hpp>
#include <weft/async/scope.hpp>
#include <weft/base/environment.hpp>
#include <weft/base/error.hpp>
#include <weft/serve/server.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace weft_cli {

namespace {

struct mcp_args : run_args {
    std::vector<std::string> graphs = {};
};

weft::server_options options_of_mcp(const mcp_args& args, const store_place& place)
{
    weft::server_options options;
    options.on_error = [](std::string_view where, std::string_view what) {
        std::cerr << "weft mcp: " << where << ": " << what << '\n';
    };
    options.embeddings = embeddings_of(weft::process_environment());
    const worker_times times = times_for(place);
    options.runs.lifetime = times.lifetime;
    options.runs.heartbeat_every = times.heartbeat;
    options.runs.keep_last = args.keep_last;
    options.runs.records_requests = args.records_requests;
    options.telemetry = telemetry_of(args.otlp, "mcp", false);
    return options;
}

/** Talks with the client until it closes the input; then the runs come to the end of their node. */
weft::task<void> talk(weft::server& server)
{
    std::exception_ptr failure;
    try {
        co_await server.serve_mcp_stdio();
    } catch (const weft::error& e) {
        if (e.code() != weft::errc::cancelled) failure = std::current_exception();
    }
    server.drain();
    if (failure) std::rethrow_exception(failure);
}

/** @param signals   At the first one the client is not listened to any longer. */
weft::task<void> serve_client(boost::asio::io_context& context, boost::asio::signal_set& signals, const mcp_args& args,
                              const served_files& files, const store_place& place)
{
    const opened_store opened = co_await open_whole_store(place, store_use::make);
    graph_reloader memory{args.graphs, args, files};
    co_await memory.open(opened.items, place);
    const weft::server_stores stores{*opened.runs, *opened.service, opened.items.get()};
    weft::server server{weft::serial_loop::of(context), stores, files.graphs(), options_of_mcp(args, place)};
    const weft::task_context& of_this = co_await weft::this_task::context();
    weft::scope talking{of_this, weft::failure_policy::keep_going};
    signals.async_wait([&talking](const boost::system::error_code& code, int) {
        if (!code) talking.request_stop();
    });
    talking.spawn(talk(server));
    co_await server.run();
    co_await talking.join();
    memory.close();
}

int serve_mcp(const mcp_args& args)
{
    try {
        const store_place place = store_place::of(args.store, weft::process_environment());
        const served_files files = load_served_files(graph_files_in(args.graphs), args);
        if (files.has_mistakes) return wrong_usage;
        boost::asio::io_context context{1};
        boost::asio::signal_set signals{context, SIGINT, SIGTERM};
        std::exception_ptr failure;
        weft::async_start(weft::serial_loop::of(context), serve_client(context, signals, args, files, place),
                          [&](std::exception_ptr thrown) {
                              failure = std::move(thrown);
                              signals.cancel();
                          });
        context.run();
        if (failure) std::rethrow_exception(failure);
        return all_good;
    } catch (const usage_error& e) {
        return tell_wrong("mcp", e);
    } catch (const weft::error& e) {
        return tell_wrong("mcp", e);
    }
}

constexpr const char* mcp_footer =
    R"(A client of the Model Context Protocol starts this program, and finds each graph as a tool: its arguments are the
values of the graph's keys. Nodes that begin and end are the progress of the call, what they emit are log messages, and
a question of the graph is asked to the person at the client.

Runs are kept in the store. They belong to no client: weft serve on the same store shows them, answers their questions
and cancels them. What is under way when the client leaves comes to the end of its node and goes on with the next
process on the store.

Examples:
  weft mcp graphs/
  weft mcp trip.json --store postgresql://weft@localhost/weft --allow http_fetch
  in the settings of a client: {"mcpServers": {"trip": {"command": "weft", "args": ["mcp", "/srv/trip.json"]}}}

Exit status: 0 when the client has left, 2 if it could not begin.)";

}  // namespace

void add_mcp_command(CLI::App& app, int& exit_code)
{
    const auto args = std::make_shared<mcp_args>();
    CLI::App& command = *app.add_subcommand("mcp", "Serve graphs as tools to a client of MCP that starts this program");
    add_graphs_option(command, args->graphs);
    add_served_graph_options(command, *args);
    command.fallthrough();  // for --config, which is of the whole program
    command.footer(mcp_footer);
    command.callback([args, &exit_code] { exit_code = serve_mcp(*args); });
}

}  // namespace weft_cli
