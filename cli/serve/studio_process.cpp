#include "studio_process.hpp"

#include "graph/run_input.hpp"
#include "graph_process.hpp"
#include "run/run_telemetry.hpp"
#include "served_files.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_codes.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/net/http_client.hpp>
#include <weft/serve/server.hpp>

#include <boost/json/serialize.hpp>

#include <chrono>
#include <csignal>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft_cli {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t told_bytes_max = 16u << 20;
constexpr auto phase_look_every = 250ms;

weft::server_options options_in_studio(const run_args& args, const store_place& place)
{
    weft::server_options options;
    options.shows_studio = true;
    options.telemetry = telemetry_of(args.otlp, "run", false);
    options.http.timeouts.drain = 1s;  // Ctrl-C should end the program soon
    options.runs.drain_for = 200ms;
    const worker_times times = times_for(place);
    options.runs.lifetime = times.lifetime;
    options.runs.heartbeat_every = times.heartbeat;
    options.runs.keep_last = args.keep_last;
    options.runs.names_graphs = place.what == store_place::kind::postgres;
    options.on_error = [](std::string_view where, std::string_view what) {
        std::cerr << "weft run: " << where << ": " << what << '\n';
    };
    return options;
}

int exit_code_of(const std::string& phase)
{
    if (phase == "finished") return all_good;
    if (phase == "waiting") return has_paused;
    const bool is_over = phase == "failed" || phase == "cancelled" || phase == "dead";
    return is_over ? has_failed : 128 + SIGINT;
}

void tell(const std::string& line) { std::cerr << "weft run: " << console::harmless_line(line) << '\n'; }

/** A server with one run, which it is asked for as by any client. */
class studio_host final : public graph_host {
public:
    /** @param phase   Of the run, from then on; outlives the host. */
    studio_host(weft::serial_loop& loop, const weft::server_stores& stores, const served_files& files,
                const run_args& args, const store_place& place, std::string& phase)
        : phase_{phase}, server_{loop, stores, files.graphs(), options_in_studio(args, place)}
    {
        const served_file& file = *files.files.front();
        const weft::graph_spec spec = weft::read_graph_spec(file.text, {.file = file.path.string()});
        boost::json::object inputs = read_inputs(args.inputs, spec, std::cin);
        static_cast<void>(first_state(file.graph.graph, inputs));
        order_ = {{"assistant_id", file.graph.graph.name()}, {"input", std::move(inputs)}};
        base_ = "http://" + server_.listen(weft::listen_address{"127.0.0.1:0"}).to_string();
        std::cerr << greeting_of(*file.around) << "\nThe run is kept in " << console::harmless_line(place.shown())
                  << ".\n";
    }

    weft::task<void> run() override
    {
        const weft::task_context& of_this = co_await weft::this_task::context();
        weft::scope following{of_this, weft::failure_policy::keep_going};
        following.spawn(begin_and_follow());
        co_await server_.run();
        following.request_stop();
        co_await following.join();
    }
    void drain() override
    {
        is_draining_ = true;
        server_.drain();
    }
    weft::task<std::vector<weft::waiting_threads>> replace_graphs(std::vector<weft::served_graph> graphs,
                                                                  std::vector<weft::served_entry> entries) override
    {
        return server_.replace_graphs(std::move(graphs), std::move(entries));
    }

private:
    weft::task<void> begin_and_follow()
    {
        std::string problem;
        try {
            co_await begin();
        } catch (const weft::error& e) {
            if (e.code() == weft::errc::cancelled) throw;
            problem = e.what();
        }
        if (!problem.empty() && !is_draining_) {
            tell(problem);
            phase_ = "failed";
            drain();
        }
        while (!is_over()) {
            try {
                co_await look();
            } catch (const weft::error& e) {
                if (e.code() == weft::errc::cancelled) throw;  // else the store may be away: the next look tells
            }
            co_await weft::sleep_for(phase_look_every);
        }
    }

    weft::task<void> begin()
    {
        const boost::json::value thread = co_await ask("POST", "/threads", "{}");
        const std::string place = "/threads/" + std::string{thread.at("thread_id").as_string()} + "/runs";
        const boost::json::value made = co_await ask("POST", place, boost::json::serialize(order_));
        id_ = made.at("run_id").as_string();
        tell("the studio is at " + base_ + "/studio/#/runs/" + id_ + " until Ctrl-C");
    }

    weft::task<void> look()
    {
        const boost::json::value run = co_await ask("GET", "/studio/api/runs/" + id_, "");
        std::string phase{run.at("phase").as_string()};
        if (phase == phase_) co_return;
        phase_ = std::move(phase);
        if (phase_ == "waiting") tell("the run waits for an answer: the page takes it");
        else if (is_over()) tell("the run is " + phase_ + reason_in(run) + "; the page stays until Ctrl-C");
    }

    [[nodiscard]] static std::string reason_in(const boost::json::value& run)
    {
        const std::string message{run.at("message").as_string()};
        return run.at("phase") == "failed" || run.at("phase") == "dead" ? ": " + message : std::string{};
    }

    [[nodiscard]] bool is_over() const
    {
        return phase_ == "finished" || phase_ == "failed" || phase_ == "cancelled" || phase_ == "dead";
    }

    weft::task<boost::json::value> ask(std::string method, std::string path, std::string body)
    {
        weft::http_request request{std::move(method), weft::url{base_ + path}};
        if (!body.empty()) request.body(std::move(body), "application/json");
        weft::http_response response = co_await client_.send(std::move(request));
        const std::string text = co_await response.read_all(told_bytes_max);
        if (response.status() >= 300)
            throw weft::error{weft::errc::invalid_response, path,
                              "the server answers with status " + std::to_string(response.status()) + ": " + text};
        co_return weft::parse_json(text);
    }

    std::string& phase_;
    weft::server server_;
    weft::http_client client_;
    boost::json::object order_;
    std::string base_;
    std::string id_;
    bool is_draining_ = false;
};

}  // namespace

int run_in_studio(run_args args, const store_place& place)
{
    args.command = "run";
    std::string phase;
    graph_process process{.command = args.command,
                          .graphs = {args.file},
                          .args = args,
                          .place = place,
                          .keeps_graphs = true,
                          .keeps_at_hangup = true,
                          .goodbye = "ends; a run that is under way stops after its node (again: at once)",
                          .make_host = {}};
    process.make_host = [&](weft::serial_loop& loop, const weft::server_stores& stores,
                            const served_files& files) -> std::unique_ptr<graph_host> {
        return std::make_unique<studio_host>(loop, stores, files, args, place, phase);
    };
    const int ended = run_graph_process(std::move(process));
    return ended == all_good ? exit_code_of(phase) : ended;
}

}  // namespace weft_cli
