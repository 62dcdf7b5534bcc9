// The demo: a graph of agents that researches a topic, watched while it works. Its graph is in
// research_graph.hpp, and how its run survives the process in research_keeping.hpp; this file
// connects it with an endpoint, a terminal and Ctrl-C. It is an ordinary Asio program around one
// weft run.

#include "../cli/terminal/console.hpp"
#include "research_graph.hpp"
#include "research_keeping.hpp"
#include "research_options.hpp"
#include "research_progress.hpp"
#include "research_report.hpp"
#include "research_view.hpp"

#include <weft/asio.hpp>
#include <weft/async/async_start.hpp>
#include <weft/engine/engine.hpp>
#include <weft/model/any_model.hpp>
#include <weft/model/model_environment.hpp>
#include <weft/testing/endpoint/parallel_research_script.hpp>
#include <weft/testing/scripted_endpoint.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include <unistd.h>

namespace asio = boost::asio;
using console::screen;

namespace {

// [endpoint]
/** Who answers: the endpoint that the environment names, else a scripted one that lives as long as
 *  this object. */
struct answering {
    std::unique_ptr<weft::testing::scripted_endpoint> scripted;
    std::shared_ptr<weft::chat_model> model;
};

answering choose_endpoint(bool is_fast)
{
    answering chosen;
    if (auto named = weft::read_any_model_environment(weft::process_environment())) {
        chosen.model = weft::make_model(weft::http_client{}, std::move(*named));
        return chosen;
    }
    chosen.scripted = std::make_unique<weft::testing::scripted_endpoint>(
        weft::testing::scripted_endpoint_options{}.pace(is_fast ? 0.1 : 1.0));
    weft::testing::parallel_research_script(*chosen.scripted);
    // Its certificate is signed by an authority that was made for this run, and only this client trusts it.
    const weft::http_client client{{.tls = {.ca_pem = chosen.scripted->ca_pem()}}};
    weft::openai_model_options where;
    where.base_url = chosen.scripted->url();
    where.model = "scripted";
    chosen.model = weft::make_model(client, std::move(where));
    return chosen;
}
// [/endpoint]

/** Ctrl-C before there is a run. Only what is safe in a signal handler. */
extern "C" void end_before_the_run(int signal)
{
    constexpr std::string_view words = "\nStopped before the run began. Nothing was cut short.\n";
    [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, words.data(), words.size());
    std::_Exit(128 + signal);
}

void greet(const research_options& options, const answering& chosen, const screen& screen)
{
    screen.write_wrapped("Topic: " + console::harmless_line(options.topic));
    const std::string whom = console::harmless_line(chosen.model->label());
    screen.write_wrapped(chosen.scripted
                             ? "No real model is asked: " + whom +
                                   " answers, on this machine, over real TLS, "
                                   "with made-up texts. --help tells how to ask a real model."
                             : "Asking " + whom + ".");
    if (!options.store.empty())
        screen.write_wrapped("Kept in " + console::harmless_line(options.store) + ".");
    screen::write("\n");
}

using run_function = std::function<weft::task<weft::run_result>(weft::run_request)>;

/** Runs the graph and shows it, until it ends or a signal stops it. */
class watched_run {
public:
    watched_run(const weft::graph& graph, const screen& screen)
        : screen_{screen}, progress_{graph.node_names()}, view_{screen, progress_},
          cursor_{screen.is_terminal()}
    {
    }

    // [run]
    /** @param run  Makes the task that runs. */
    research_outcome run(const run_function& run, weft::run_request request)
    {
        signals_.async_wait([this](boost::system::error_code failed, int number) {
            if (failed) return;
            outcome_.signal = number;
            stop_.request_stop();  // reaches every socket of the run
            signals_.clear();      // a second Ctrl-C does what it always does
            cursor_.show();
        });
        redraw_later();
        request.stop(stop_.get_token()).on_event([this](const weft::run_event& event) { take(event); });
        const auto ended = [this](std::exception_ptr error, weft::run_result result) {
            error_ = std::move(error);
            outcome_.result = std::move(result);
            view_.draw(now(), "");
            cursor_.show();
            io_.stop();  // signals, pictures and kept connections hold nothing up
        };
        weft::async_start(weft::serial_loop::of(io_), run(std::move(request)), ended);
        io_.run();
        if (error_) std::rethrow_exception(error_);
        return std::move(outcome_);
    }
    // [/run]

    /** What was done in a process before this one. */
    void tell_before(const weft::checkpoint_outline& before)
    {
        const std::string done = progress_.take_over(before);
        screen_.write_wrapped(before.is_unfinished
                                  ? "Going on where it was left. Done before: " +
                                        (done.empty() ? "nothing" : done) + ".\n"
                                  : "This was finished before, and no model is asked again.");
    }

    [[nodiscard]] const research_progress& progress() const noexcept { return progress_; }

private:
    void take(const weft::run_event& event)
    {
        if (const node_progress* node = progress_.take(event)) view_.tell(event, *node);
    }

    // Ten pictures a second, whatever happens in between: tokens come faster than anybody can read.
    void redraw_later()
    {
        redraw_.expires_after(std::chrono::milliseconds{100});
        redraw_.async_wait([this](boost::system::error_code failed) {
            if (failed || outcome_.signal != 0) return;
            view_.draw(now(), "Ctrl-C stops");
            redraw_later();
        });
    }

    [[nodiscard]] weft::time_point now() { return weft::clock_of(io_).now(); }

    asio::io_context io_{1};
    asio::signal_set signals_{io_, SIGINT, SIGTERM};
    asio::steady_timer redraw_{io_};
    std::stop_source stop_;
    const screen& screen_;
    research_progress progress_;
    research_view view_;
    console::hidden_cursor cursor_;
    research_outcome outcome_;
    std::exception_ptr error_;
};

int research_and_tell(const research_options& options)
{
    const screen screen;
    const answering chosen = choose_endpoint(options.is_fast);
    greet(options, chosen, screen);
    const weft::graph graph = research::make_graph(*chosen.model, options.rounds_max);
    const weft::engine engine{graph};
    watched_run watched{graph, screen};
    const run_function run = [&](weft::run_request request) {
        if (options.store.empty()) return engine.run(std::move(request));
        return keep(options.store, graph, std::move(request),
                    [&](const weft::checkpoint_outline& before) { watched.tell_before(before); });
    };
    // After Ctrl-C a person does not want to wait for a node that goes on.
    const research_outcome ended =
        watched.run(run, weft::run_request{options.topic}
                             .input(research::topic, options.topic)
                             .options(weft::run_options{}.stop_grace(std::chrono::milliseconds{50})));
    if (ended.result.ok())
        return tell_finished(ended.result, watched.progress(), screen);
    const int exit_code = ended.result.status == weft::run_status::cancelled
                              ? tell_stopped(ended, watched.progress(), screen)
                              : tell_failed(ended.result, watched.progress());
    if (ended.signal != 0 && !options.store.empty())
        screen.write_wrapped("What was done is kept: the same command goes on.");
    // A name lookup that the system is still busy with cannot be stopped, and its io_context would
    // wait for it.
    std::quick_exit(exit_code);
}

}  // namespace

int main(int argc, char** argv)
{
    int exit_code = 0;
    const auto options = read_command_line(argc, argv, exit_code);
    if (!options) return exit_code;
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, end_before_the_run);
    try {
        return research_and_tell(*options);
    } catch (const std::exception& e) {
        std::cerr << "parallel_research: " << console::harmless_line(e.what()) << '\n';
        return 1;
    }
}
