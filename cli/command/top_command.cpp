#include "commands.hpp"

#include "graph/run_input.hpp"
#include "serve/metric_reading.hpp"
#include "serve/top_view.hpp"
#include "store/store_problem.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_codes.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/engine/trace/run_event_json.hpp>
#include <weft/net/http_client.hpp>
#include <weft/net/secret_string.hpp>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft_cli {

namespace {

struct top_args {
    std::vector<std::string> servers = {};
    std::string api_key = {};
    std::string every = "2s";
    std::uint32_t pages = 0;  // 0: until it is ended
};

constexpr std::size_t metrics_bytes_max = 16 << 20;
constexpr std::size_t nodes_shown = 20;

/** A server's address, with the path of its metrics unless it has one. */
weft::url url_of_metrics(const std::string& server)
{
    std::string text = server.find("://") == std::string::npos ? "http://" + server : server;
    const std::size_t path = text.find('/', text.find("://") + 3);
    if (path == std::string::npos) text += "/metrics";
    else if (path + 1 == text.size()) text += "metrics";
    return weft::url{text};
}

weft::task<metric_reading> read_server(weft::http_client client, std::string server, std::string key)
{
    weft::http_request request{"GET", url_of_metrics(server)};
    if (!key.empty()) request.secret("X-Api-Key", weft::secret_string{key});
    weft::http_response response = co_await client.send(std::move(request));
    const int status = response.status();
    const std::string text = co_await response.read_all(metrics_bytes_max);
    if (status == 401 || status == 403)
        throw usage_error{server + ": it wants a key with the scope metrics:read: say --api-key, or set WEFT_API_KEY"};
    if (status != 200)
        throw usage_error{server + ": it answered with the status " + std::to_string(status) +
                          "; weft serve, and weft worker --health, have metrics"};
    co_return metric_reading::of(text);
}

/** What all servers say together. */
weft::task<metric_reading> read_all_servers(weft::http_client client, std::vector<std::string> servers,
                                            std::string key)
{
    metric_reading all;
    for (const std::string& server : servers) {
        weft::task<metric_reading> reading = read_server(client, server, key);
        const metric_reading one = co_await std::move(reading);
        all.join(one);
    }
    co_return all;
}

weft::task<int> show_pages(top_args args, std::chrono::nanoseconds every)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const weft::http_client client;
    const bool is_terminal = console::screen{}.is_terminal();
    weft::task<metric_reading> first = read_all_servers(client, args.servers, args.api_key);
    metric_reading before = co_await std::move(first);
    weft::time_point read_at = loop.now();
    for (std::uint32_t page = 0; args.pages == 0 || page < args.pages; ++page) {
        co_await weft::sleep_for(every);
        weft::task<metric_reading> reading = read_all_servers(client, args.servers, args.api_key);
        metric_reading now = co_await std::move(reading);
        const weft::time_point at = loop.now();
        const std::string when = weft::to_utc_text(loop.clock().system_now());
        std::string text = "weft top  " + when + "  " + std::to_string(args.servers.size()) + " of them\n\n";
        text += top_text(before, now, at - read_at, nodes_shown);
        // Home, and what was below is cleared.
        std::cout << (is_terminal ? "\x1b[H\x1b[J" : "") << text << (is_terminal ? "" : "\n") << std::flush;
        before = std::move(now);
        read_at = at;
    }
    co_return all_good;
}

int show_top(top_args args)
{
    try {
        if (args.servers.empty()) args.servers.emplace_back("127.0.0.1:8123");
        const std::chrono::nanoseconds every = span_of("--every", args.every, "2s");
        for (const std::string& server : args.servers) (void)url_of_metrics(server);
        return weft::run_blocking(show_pages(std::move(args), every));
    } catch (const usage_error& e) {
        return tell_wrong("top", e);
    } catch (const weft::error& e) {
        return tell_wrong("top", e);
    }
}

constexpr const char* top_footer =
    R"(Rates are those between two looks at /metrics. Of several servers and workers on one store everything is added
up, but for the queue, which is the same for all of them.

  AT WORK   how many attempts at the node were under way at once, on average

Without a terminal each page follows the one before.

Examples:
  weft top
  weft top weft-1:8123 weft-2:8123 worker-1:9100 --every 5s
  WEFT_API_KEY=... weft top https://agents.example --pages 1

Exit status: 0 after --pages, 2 if a server does not answer.)";

}  // namespace

void add_top_command(CLI::App& app, int& exit_code)
{
    const auto args = std::make_shared<top_args>();
    CLI::App& command = *app.add_subcommand("top", "Show what servers and workers do now: runs, queue, models, nodes");
    command.add_option("SERVERS", args->servers, "Where they listen; else 127.0.0.1:8123")->type_name("");
    command.add_option("--api-key", args->api_key, "A key with the scope metrics:read")
        ->type_name("KEY")
        ->envname("WEFT_API_KEY");
    command.add_option("--every", args->every, "Between two looks, e.g. 5s")->type_name("SPAN")->capture_default_str();
    command.add_option("--pages", args->pages, "End after so many; 0: when it is ended")
        ->type_name("N")
        ->capture_default_str();
    command.footer(top_footer);
    command.callback([args, &exit_code] { exit_code = show_top(*args); });
}

}  // namespace weft_cli
