#include "loop_metrics.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/sleep.hpp>

#include <chrono>
#include <string>

namespace weft::serve_detail {

namespace {

/** Several loops have one gauge: each adds what has changed. */
class connection_share {
public:
    explicit connection_share(weft_metrics& metrics) noexcept : metrics_{metrics} {}
    ~connection_share() { set(0, 0); }
    connection_share(const connection_share&) = delete;
    connection_share& operator=(const connection_share&) = delete;

    void set(std::size_t busy, std::size_t idle)
    {
        const auto change = [this](const char* state, double& known, std::size_t now) {
            metrics_.http_connections.at({state}).add(static_cast<double>(now) - known);
            known = static_cast<double>(now);
        };
        change("busy", busy_, busy);
        change("idle", idle_, idle);
    }

private:
    weft_metrics& metrics_;
    double busy_ = 0;
    double idle_ = 0;
};

}  // namespace

task<void> measure_loop(const http_server& http, weft_metrics& metrics, std::size_t index)
{
    constexpr std::chrono::milliseconds between{500};
    serial_loop& loop = co_await this_task::loop();
    metric_series& lag = metrics.loop_lag_seconds.at({std::to_string(index)});
    connection_share connections{metrics};
    for (;;) {
        const http_server_counts counts = http.counts();
        connections.set(counts.open - counts.idle, counts.idle);
        const time_point began = loop.now();
        co_await sleep_for(between);
        const std::chrono::duration<double> late = loop.now() - began - between;
        lag.observe(late.count() > 0 ? late.count() : 0);
    }
}

void count_exchange(weft_metrics& metrics, const route_table& routes, const http_access& done)
{
    constexpr std::string_view no_route = "none";
    const route_table::found found = routes.find(done.method, done.target.substr(0, done.target.find('?')));
    const std::string_view route = found.which ? std::string_view{found.which->pattern} : no_route;
    // Methods that no route has would be labels that clients choose.
    const std::string_view method = found.which ? std::string_view{found.which->method} : no_route;
    metrics.http_requests.at({route, method, std::to_string(done.status)}).add();
    const auto observe = [route](metric_family& family, std::chrono::nanoseconds span) {
        family.at({route}).observe(std::chrono::duration<double>{span}.count());
    };
    observe(metrics.http_request_seconds, done.whole);
    observe(metrics.http_first_byte_seconds, done.first_byte);
}

}  // namespace weft::serve_detail
