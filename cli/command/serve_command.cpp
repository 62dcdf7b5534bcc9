#include "commands.hpp"

#include "graph/run_input.hpp"
#include "run/run_registry.hpp"
#include "run/run_setup.hpp"
#include "run/run_telemetry.hpp"
#include "serve/access_log.hpp"
#include "serve/auth_file.hpp"
#include "serve/graph_process.hpp"
#include "serve/served_files.hpp"
#include "serve/served_graph_options.hpp"
#include "serve/service_manager.hpp"
#include "store/run_memory.hpp"
#include "store/store_place.hpp"
#include "store/store_problem.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/list_option.hpp"

#include <weft/base/environment.hpp>
#include <weft/engine/runtime.hpp>
#include <weft/serve/server.hpp>

#include <algorithm>
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

struct serve_args : run_args {
    std::vector<std::string> graphs = {};
    std::vector<std::string> listen = {};
    std::string origin = {};
    std::string access_log = {};
    std::string drain = {};
    std::string auth_file = {};
    std::string webhook_secret = {};
    std::vector<std::string> webhook_addresses = {};
    bool asks_for_keys = false;
    std::pair<std::string, std::string> tls = {};  // certificate and key
    [[nodiscard]] bool has_tls() const noexcept { return !tls.first.empty() || !tls.second.empty(); }
    std::string client_ca = {};
    std::uint64_t body_bytes_max = 4u << 20;
    std::uint64_t gzip_bytes_min = weft::http_server_options{}.gzip_bytes_min;
    bool needs_no_auth = false;
    bool keeps_mcp_runs = false;
    bool shows_studio = false;
    std::size_t cores = 1;
    std::optional<std::size_t> workers = {};  // nothing: without a limit
    bool keeps_graphs = false;  // files that change meanwhile are not followed
    weft::auth_options auth = {};  // what these say, read once
};

weft::auth_options auth_of(const serve_args& args)
{
    weft::auth_options auth;
    if (!args.auth_file.empty()) auth = read_auth_file(args.auth_file);
    if (args.asks_for_keys) auth.api_keys = true;
    if (auth.is_on() && args.needs_no_auth)
        throw usage_error{"--insecure-no-auth: there is --auth or --api-keys, which ask who calls"};
    auth.lets_anyone_in = args.needs_no_auth;
    return auth;
}

weft::webhook_options webhooks_of(const serve_args& args)
{
    weft::webhook_options webhooks;
    if (!args.webhook_secret.empty()) {
        const auto secret = weft::process_environment()(args.webhook_secret);
        if (!secret || secret->empty())
            throw usage_error{"--webhook-secret " + args.webhook_secret + ": the environment has no such variable"};
        webhooks.secret = weft::secret_string{*secret};
    }
    if (!args.webhook_addresses.empty())
        webhooks.also_allowed = [allowed = args.webhook_addresses](std::string_view address) {
            return std::find(allowed.begin(), allowed.end(), address) != allowed.end();
        };
    return webhooks;
}

weft::server_options options_of_server(const serve_args& args, const store_place& place)
{
    weft::server_options options;
    options.http.body_bytes_max = args.body_bytes_max;
    options.http.gzip_bytes_min = args.gzip_bytes_min;
    options.auth = args.auth;
    options.webhooks = webhooks_of(args);
    options.allowed_origin = args.origin;
    if (args.keeps_mcp_runs) options.mcp_disconnect = weft::mcp_on_disconnect::forsake;
    options.live = args.live;
    options.shows_studio = args.shows_studio;
    options.embeddings = embeddings_of(weft::process_environment());
    options.telemetry = telemetry_of(args.otlp, "serve", true, run_log_of(args));
    if (!args.access_log.empty()) options.http.on_access = make_access_log(args.access_log);
    if (!args.drain.empty()) {
        const std::chrono::nanoseconds span = span_of("--drain", args.drain, "5s");
        options.http.timeouts.drain = span;
        options.runs.drain_for = std::chrono::duration_cast<std::chrono::milliseconds>(span);
    }
    options.on_error = [](std::string_view where, std::string_view what) {
        std::cerr << "weft serve: " << where << ": " << what << '\n';
    };
    const worker_times times = times_for(place);
    options.runs.lifetime = times.lifetime;
    options.runs.heartbeat_every = times.heartbeat;
    options.runs.keep_last = args.keep_last;
    options.runs.records_requests = args.records_requests;
    options.runs.runs_max = 1000;
    options.runs.performed_max = args.workers;
    // A file has one process, which takes all that stands in it.
    options.runs.names_graphs = place.what == store_place::kind::postgres;
    return options;
}

/** Without authentication each client that reaches the port can run graphs, and spend what their models cost. */
std::vector<weft::listen_address> addresses_of(const serve_args& args)
{
    if (!args.client_ca.empty() && !args.has_tls())
        throw usage_error{"--tls-client-ca: clients show certificates with TLS only; say --tls as well"};
    const bool knows_clients = args.needs_no_auth || !args.client_ca.empty();
    std::vector<weft::listen_address> addresses;
    for (const std::string& word : args.listen) addresses.emplace_back(word);
    if (addresses.empty()) addresses = activated_sockets(weft::process_environment());
    if (addresses.empty()) addresses.emplace_back("127.0.0.1:8123");
    for (const weft::listen_address& at : addresses)
        if (!at.is_local() && !args.auth.is_on() && !knows_clients)
            throw usage_error{"--listen " + at.to_string() +
                              ": other machines reach that address, and nothing asks them who they are; say --api-keys "
                              "(weft keys makes them) or --auth FILE, let only clients with certificates in "
                              "(--tls-client-ca), or, behind a proxy that asks, say --insecure-no-auth"};
    return addresses;
}

weft::listen_address listen(weft::server& server, const weft::listen_address& at, const serve_args& args)
{
    if (!args.has_tls()) return server.listen(at);
    weft::tls_server_options tls;
    tls.certificate_file = args.tls.first;
    tls.key_file = args.tls.second;
    tls.client_ca_file = args.client_ca;
    return server.listen(at, std::move(tls));
}

void tell_start(const serve_args& args, const served_files& files, const std::vector<weft::listen_address>& bound,
                const store_place& place)
{
    std::string names;
    for (const weft::served_graph& one : files.graphs())
        names.append(names.empty() ? "" : ", ").append(one.graph.name());
    for (const weft::listen_address& at : bound) {
        const bool is_tcp = at.kind() == weft::listen_address::kind_type::tcp;
        const char* const scheme = !args.has_tls() ? "http://" : "https://";
        std::cerr << "weft serve: " << (is_tcp ? scheme : "") << at.to_string() << '\n';
        if (args.shows_studio && is_tcp)
            std::cerr << "weft serve: the studio is at " << scheme << at.to_string() << "/studio/\n";
    }
    std::cerr << "weft serve: graphs " << names << "; runs are kept in " << place.shown() << '\n';
}

/** @param load   What fails changes nothing, and is told. */
template <class Load>
void load_again(const char* what, const Load& load)
{
    try {
        load();
        std::cerr << "weft serve: the " << what << " are loaded again\n";
    } catch (const weft::error& e) {
        std::cerr << "weft serve: " << e.what() << '\n';
    } catch (const usage_error& e) {
        std::cerr << "weft serve: " << e.what() << '\n';
    }
}

/** A server, and the further loops that it may have. */
class server_host final : public graph_host {
public:
    server_host(weft::serial_loop& loop, const weft::server_stores& stores, const served_files& files,
                const serve_args& args, const store_place& place)
        : args_{args}, heart_{place.what == store_place::kind::postgres ? std::make_unique<weft::runtime>(1) : nullptr}
    {
        weft::server_options options = options_of_server(args, place);
        options.entries = files.entries();
        if (heart_) options.runs.heartbeats_on = &heart_->loop(0);
        const std::size_t cores = args.cores > 0 ? args.cores : std::thread::hardware_concurrency();
        if (cores > 1) more_ = std::make_unique<weft::runtime>(cores - 1);
        options.more_loops = more_.get();
        server_.emplace(loop, stores, files.graphs(), std::move(options));
        std::vector<weft::listen_address> bound;
        for (const weft::listen_address& at : addresses_of(args)) bound.push_back(listen(*server_, at, args));
        tell_start(args, files, bound, place);
    }

    weft::task<void> run() override { return server_->run(); }
    void drain() override { server_->drain(); }
    weft::task<std::vector<weft::waiting_threads>> replace_graphs(std::vector<weft::served_graph> graphs,
                                                                  std::vector<weft::served_entry> entries) override
    {
        return server_->replace_graphs(std::move(graphs), std::move(entries));
    }
    /** Certificates and rules for callers; bad ones change nothing. */
    void reload() override
    {
        if (args_.has_tls()) load_again("certificates", [this] { server_->reload_tls(); });
        if (!args_.auth_file.empty())
            load_again("rules for callers", [this] { server_->replace_auth(auth_of(args_)); });
    }

private:
    const serve_args args_;
    std::unique_ptr<weft::runtime> heart_;  // null: signs of life come from the loops of the runs
    std::unique_ptr<weft::runtime> more_;
    std::optional<weft::server> server_;
};

int serve(serve_args args)
{
    try {
        args.auth = auth_of(args);
        args.live = std::make_shared<weft::live_surroundings>();
        const store_place place = store_place::of(args.store, weft::process_environment());
        (void)addresses_of(args);
        (void)webhooks_of(args);
        if (!place.tenant_role.empty() && !args.auth.is_on())
            throw usage_error{"--tenant-role " + place.tenant_role +
                              ": nothing asks callers who they are, so that no request is a tenant's; say --api-keys"
                              " (weft keys makes them) or --auth FILE"};
        if (args.workers == 0u && place.what != store_place::kind::postgres)
            throw usage_error{"--workers 0: one process has " + place.shown() +
                              ", so nothing would perform its runs; for workers beside this one, name a database: "
                              "--store postgresql://USER@HOST/DATABASE"};
        graph_process process{.command = args.command,
                              .graphs = args.graphs,
                              .args = args,
                              .place = place,
                              .keeps_graphs = args.keeps_graphs,
                              .goodbye = "ends; runs come to the end of their node (again: at once)",
                              .make_host = {}};
        process.make_host = [&](weft::serial_loop& loop, const weft::server_stores& stores,
                                const served_files& files) -> std::unique_ptr<graph_host> {
            return std::make_unique<server_host>(loop, stores, files, args, place);
        };
        return run_graph_process(process);
    } catch (const usage_error& e) {
        return tell_wrong("serve", e);
    } catch (const weft::error& e) {
        return tell_wrong("serve", e);
    }
}

constexpr const char* serve_footer =
    R"(Each graph file is an assistant under the name of its graph. Clients of LangGraph's Agent Server (the SDKs in
Python and JavaScript) create threads, begin runs, follow their streams and answer their questions. Clients of the Model
Context Protocol find each graph as a tool at /mcp.

Runs of threads are kept in the store: they go on when their client goes away, and after a crash. Runs without a thread
are not kept. Ctrl-C or SIGTERM lets each run come to the end of its node and gives it back to the store; a second one
ends the program at once.

Under systemd it serves sockets that it was started with (socket activation), and says when it is ready (Type=notify).

Each option can stand in the environment, under the name that is shown with it, or in a file (--config weft.toml), under
its long name in the table [serve]; the command line goes before the file, and that before the environment:
  [serve]
  listen = ["127.0.0.1:8123", "unix:/run/weft.sock"]
  auth = "auth.json"

Graph files that change are loaded again, and so are those that come or go (--no-reload: only at SIGHUP). A file with
mistakes stays as it was before. A run that is under way ends with the graph that it began with; a thread that waits
goes on with the new one if it can, else with the old one, as long as this process lives. What they can do is told.

SIGHUP loads graph files again, the file of --auth with its keys and limits, and with --tls certificate, key and
authorities; open connections stay. What is wrong with a file is told, and what was before holds.

GET /metrics has metrics for Prometheus; with keys, it asks for the scope metrics:read. --otlp, or the variables of
OpenTelemetry, send traces to a collector, to Jaeger, Grafana, Phoenix or Langfuse.

Models come from the environment, as for weft run: WEFT_LLM_PROVIDER, WEFT_LLM_MODEL, OPENAI_API_KEY and so on.

Examples:
  weft serve graphs/
  weft serve graphs/ --studio
  weft serve support.yaml trip.json --store postgresql://weft@localhost/weft --listen 127.0.0.1:9000
  weft keys --add "web shop" && weft serve graphs/ --api-keys --listen 0.0.0.0:8123
  weft serve graphs/ --listen unix:/run/weft.sock --access-log access.jsonl
  weft serve graphs/ --listen :8443 --tls chain.pem key.pem --tls-client-ca clients.pem
  curl -s localhost:8123/runs/wait -H 'content-type: application/json' \
    -d '{"assistant_id": "support", "input": {"question": "Where is my parcel?"}}'

Exit status: 0 after a drain, 1 if a second signal ended it, 2 if it could not begin.)";

}  // namespace

void add_serve_command(CLI::App& app, int& exit_code)
{
    const auto args = std::make_shared<serve_args>();
    CLI::App& command = *app.add_subcommand("serve", "Serve graphs over HTTP to clients of LangGraph's Agent Server");
    add_graphs_option(command, args->graphs);
    add_list(command, "--listen", args->listen,
             "Where: ADDRESS:PORT, unix:PATH or fd:N; again for each further one; else 127.0.0.1:8123")
        ->type_name("ADDRESS")
        ->envname("WEFT_SERVE_LISTEN");
    command.add_flag("--api-keys", args->asks_for_keys, "Ask callers for an API key; weft keys makes them")
        ->envname("WEFT_SERVE_API_KEYS");
    command.add_option("--auth", args->auth_file, "Who may call, and how much: API keys, tokens (JWT), limits")
        ->type_name("FILE")
        ->envname("WEFT_SERVE_AUTH");
    command.add_flag("--insecure-no-auth", args->needs_no_auth, "Let other machines in without asking who they are");
    command.add_flag("--studio", args->shows_studio, "Show a page at /studio/ to follow, answer and fork runs")
        ->envname("WEFT_SERVE_STUDIO");
    command.add_flag("--no-reload", args->keeps_graphs, "Do not load graph files again when they change")
        ->envname("WEFT_SERVE_NO_RELOAD");
    command.add_option("--tls", args->tls, "Speak TLS: PEM files of the certificate with its chain, and of its key")
        ->type_name("CERT KEY");
    command.add_option("--tls-client-ca", args->client_ca, "Let in only who shows a certificate of these authorities")
        ->type_name("FILE");
    command.add_option("--webhook-secret", args->webhook_secret,
                       "Sign webhooks of runs with the secret that this variable of the environment has")
        ->type_name("VARIABLE");
    add_list(command, "--webhooks-to", args->webhook_addresses,
             "Let webhooks of runs go to this address too, which is not of the public internet, e.g. 127.0.0.1")
        ->type_name("ADDRESS");
    command.add_option("--cors", args->origin, "Let pages of this origin use the server; *: of any")
        ->type_name("ORIGIN")
        ->envname("WEFT_SERVE_CORS");
    command.add_flag("--keep-mcp-runs", args->keeps_mcp_runs,
                     "Let a run go on when its client of MCP 2026-07-28 goes away, which the protocol has as a cancel")
        ->envname("WEFT_SERVE_KEEP_MCP_RUNS");
    command.add_option("--body-max", args->body_bytes_max, "Bytes of a request's body at most")
        ->type_name("N")
        ->envname("WEFT_SERVE_BODY_MAX")
        ->capture_default_str();
    command.add_option("--gzip-min", args->gzip_bytes_min,
                       "Compress whole answers of so many bytes and more, for clients that accept gzip; 0: none")
        ->type_name("N")
        ->envname("WEFT_SERVE_GZIP_MIN")
        ->capture_default_str();
    command.add_option("--cores", args->cores, "OS threads that serve and run graphs; 0: one for each core")
        ->type_name("N")
        ->envname("WEFT_SERVE_CORES")
        ->check(CLI::Range(0, 256))
        ->capture_default_str();
    command.add_option("--workers", args->workers,
                       "Runs that this process performs at once; 0: none, weft worker does; else without a limit")
        ->type_name("N")
        ->check(CLI::Range(0, 1'000'000))
        ->envname("WEFT_SERVE_WORKERS");
    command.add_option("--drain", args->drain, "Time for nodes, and for connections, to end after a signal, e.g. 5s")
        ->type_name("SPAN")
        ->envname("WEFT_SERVE_DRAIN");
    command.add_option("--access-log", args->access_log, "Write each request as a line of JSON; -: standard output")
        ->type_name("FILE")
        ->envname("WEFT_SERVE_ACCESS_LOG");
    add_run_log_option(command, args->run_log);
    add_served_graph_options(command, *args);
    add_model_limit_options(command, *args);
    add_retention_options(command, args->retention);
    add_tenant_role_option(command, args->store)->envname("WEFT_SERVE_TENANT_ROLE");
    command.fallthrough();  // for --config, which is of the whole program
    command.footer(serve_footer);
    command.callback([args, &exit_code] { exit_code = serve(*args); });
}

}  // namespace weft_cli
