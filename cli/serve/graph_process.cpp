#include "graph_process.hpp"

#include "graph_reloader.hpp"
#include "served_graph_options.hpp"
#include "service_manager.hpp"
#include "terminal/exit_codes.hpp"

#include <weft/async/async_start.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/use_task.hpp>
#include <weft/base/environment.hpp>
#include <weft/model/decorator/rate_limiter.hpp>
#include <weft/store/service/event_sweeper.hpp>
#include <weft/store/service/run_sweeper.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

namespace weft_cli {

namespace {

/** What lives as long as the loop runs. */
struct process_loop {
    boost::asio::io_context context{1};
    boost::asio::signal_set ending{context, SIGINT, SIGTERM};
    boost::asio::signal_set hangup{context, SIGHUP};
};

weft::task<void> reload_at_hangup(boost::asio::signal_set& hangup, graph_host& host, graph_reloader& reloader)
{
    for (;;) {
        const auto [code, number] = co_await hangup.async_wait(weft::use_task_result);
        if (code) co_return;
        host.reload();
        co_await reloader.reload(host);
    }
}

void end_at_signal(boost::asio::signal_set& ending, const graph_process& what, graph_host& host)
{
    ending.async_wait([&ending, &what, &host](const boost::system::error_code& code, int) {
        if (code) return;
        std::cerr << "weft " << what.command << ": " << what.goodbye << '\n';
        notify_service_manager("STOPPING=1", weft::process_environment());
        host.drain();
        ending.async_wait([](const boost::system::error_code& again, int) {
            if (!again) std::quick_exit(has_failed);  // what was acknowledged is in the store
        });
    });
}

/** One process of all on the store at a time does it. What the store says no to is told, and done later.
 *  @param what   It forgets. */
template <class Sweeper>
weft::task<void> sweep_store(Sweeper sweeper, std::string command, std::string what)
{
    for (;;) {
        co_await weft::sleep_for(sweeper.period());
        try {
            static_cast<void>(co_await sweeper.sweep_in_turn());
        } catch (const weft::error& e) {
            if (e.code() == weft::errc::cancelled) throw;
            std::cerr << "weft " << command << ": " << what << ": " << e.what() << '\n';
        }
    }
}

void spawn_sweepers(weft::scope& chores, weft::service_store& service, const graph_process& what)
{
    const retention_spans keep = spans_of(what.args.retention);
    if (keep.runs)
        chores.spawn(sweep_store(weft::run_sweeper{service, *keep.runs}, what.command, "runs that are over"));
    if (keep.events)
        chores.spawn(sweep_store(weft::event_sweeper{service, *keep.events}, what.command,
                                 "events of runs that are over"));
}

/** Nothing: the process has no limits. */
std::optional<weft::rate_limiter> limiter_by(const weft::model_rate_limits& limits)
{
    if (limits.requests_per_minute <= 0 && limits.tokens_per_minute <= 0) return std::nullopt;
    weft::rate_limiter_options options;
    options.limits = limits;
    return weft::rate_limiter{std::move(options)};
}

/** With a database the limits are those of all processes on it, as long as this lives. */
class shared_limits {
public:
    shared_limits(const graph_process& what, const opened_store& opened)
    {
        if (what.place.what == store_place::kind::postgres) limiter_ = what.args.limiter;  // copies share their state
        if (limiter_) limiter_->share(std::shared_ptr<weft::shared_rates>{opened.runs, &opened.service->rates()});
    }
    ~shared_limits()
    {
        if (limiter_) limiter_->share(nullptr);
    }
    shared_limits(const shared_limits&) = delete;
    shared_limits& operator=(const shared_limits&) = delete;

private:
    std::optional<weft::rate_limiter> limiter_;
};

/** @param stand   Of the files, before they were read. */
weft::task<void> live(process_loop& loop, const graph_process& what, served_files files, graph_files_state stand)
{
    const opened_store opened = co_await open_whole_store(what.place, store_use::make);
    const shared_limits limits{what, opened};
    graph_reloader reloader{what.graphs, what.args, files};
    co_await reloader.open(opened.items, what.place);
    const weft::server_stores stores{*opened.runs, *opened.service, opened.items.get()};
    const std::unique_ptr<graph_host> host = what.make_host(weft::serial_loop::of(loop.context), stores, files);
    end_at_signal(loop.ending, what, *host);
    const weft::task_context& of_this = co_await weft::this_task::context();
    weft::scope chores{of_this, weft::failure_policy::keep_going};
    if (!what.keeps_at_hangup) chores.spawn(reload_at_hangup(loop.hangup, *host, reloader));
    if (!what.keeps_graphs)
        chores.spawn(reloader.follow(*host, watch_graph_files(loop.context, what.graphs, std::move(stand))));
    notify_service_manager("READY=1", weft::process_environment());
    spawn_sweepers(chores, *opened.service, what);
    co_await host->run();
    chores.request_stop();
    co_await chores.join();
    reloader.close();
}

}  // namespace

int run_graph_process(graph_process what)
{
    static_cast<void>(spans_of(what.args.retention));
    what.args.limiter = limiter_by(what.args.model_limits);
    graph_files_state stand = graph_files_state::of(what.graphs);
    served_files files = load_served_files(graph_files_in(what.graphs), what.args);
    if (files.has_mistakes) return wrong_usage;
    process_loop loop;
    std::exception_ptr failure;
    weft::async_start(weft::serial_loop::of(loop.context), live(loop, what, std::move(files), std::move(stand)),
                      [&](std::exception_ptr thrown) {
                          failure = std::move(thrown);
                          loop.ending.cancel();
                          loop.hangup.cancel();
                      });
    loop.context.run();
    if (failure) std::rethrow_exception(failure);
    return all_good;
}

}  // namespace weft_cli
