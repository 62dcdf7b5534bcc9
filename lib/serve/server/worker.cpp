#include <weft/serve/worker.hpp>

#include "metrics_page.hpp"

#include <weft/async/scope.hpp>
#include <weft/base/error.hpp>
#include <weft/engine/runtime.hpp>
#include <weft/net/http_server.hpp>
#include <weft/serve/server.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace weft {

namespace {

/** Long enough for what ends by itself, short enough for a deploy. */
constexpr std::chrono::milliseconds drain_default{100};

server_options options_of_worker(worker_options options, runtime* heart)
{
    if (options.concurrency == 0)
        throw error{errc::invalid_configuration, "worker", "`concurrency` is 0: a worker has one run at least"};
    server_options result;
    result.runs = std::move(options.runs);
    result.runs.performed_max = options.concurrency;
    result.runs.runs_max = options.concurrency;
    if (!result.runs.drain_for) result.runs.drain_for = drain_default;
    if (heart && !result.runs.heartbeats_on) result.runs.heartbeats_on = &heart->loop(0);
    result.webhooks = std::move(options.webhooks);
    result.entries = std::move(options.entries);
    result.more_loops = options.more_loops;
    result.telemetry = std::move(options.telemetry);
    result.on_error = std::move(options.on_error);
    return result;
}

task<void> tell_health(http_call& call, const worker& of)
{
    const bool asks_for_life = call.path() == "/livez";
    if (!asks_for_life && call.path() != "/readyz")
        throw http_error{404, "not_found", "here are /livez and /readyz"};
    const bool is_good = asks_for_life || of.is_ready();
    const boost::json::object shown{{"ready", of.is_ready()}, {"runs", of.runs()}};
    http_reply answer{is_good ? 200 : 503, boost::json::serialize(shown)};
    answer.headers.set("Content-Type", "application/json");
    return call.reply(std::move(answer));
}

}  // namespace

worker::worker(serial_loop& loop, server_stores stores, std::vector<served_graph> graphs, worker_options options)
    : telemetry_{options.telemetry}, service_{stores.service},
      heart_{options.heartbeats_apart ? std::make_unique<runtime>(1) : nullptr},
      server_{std::make_unique<server>(loop, stores, std::move(graphs),
                                       options_of_worker(std::move(options), heart_.get()))}
{
}

worker::~worker() = default;

listen_address worker::listen_for_health(const listen_address& at)
{
    if (!health_)
        health_ = std::make_unique<http_server>(loop(), [this](http_call& call) {
            const bool asks_for_metrics = telemetry_ && call.path() == "/metrics";
            return asks_for_metrics ? serve_detail::show_metrics(call, telemetry_, *service_)
                                    : tell_health(call, *this);
        });
    return health_->listen(at);
}

task<void> worker::run()
{
    if (!health_) co_return co_await server_->run();
    const task_context& context = co_await this_task::context();
    scope beside{context};
    beside.spawn(health_->run());
    std::exception_ptr failure;
    try {
        co_await server_->run();
    } catch (...) {
        failure = std::current_exception();
    }
    beside.request_stop();
    co_await beside.join();
    if (failure) std::rethrow_exception(failure);
}

void worker::drain() { server_->drain(); }

task<std::vector<waiting_threads>> worker::replace_graphs(std::vector<served_graph> graphs,
                                                          std::vector<served_entry> entries)
{
    return server_->replace_graphs(std::move(graphs), std::move(entries));
}

bool worker::is_ready() const noexcept { return server_->takes_runs(); }

std::size_t worker::runs() const noexcept { return server_->runs(); }

serial_loop& worker::loop() const noexcept { return server_->loop(); }

}  // namespace weft
