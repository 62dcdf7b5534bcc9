#include "harness/bench.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/model/decorator/hedged_model.hpp>
#include <weft/testing/simulation.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace weft_bench {

namespace {

using namespace std::chrono_literals;

constexpr int hedged_callers = 10;
constexpr int calls_of_each = 500;
constexpr int hedge_rounds = 5;

/** The time to the first token follows a Pareto distribution: 100 ms at least, one in a hundred beyond 6 s. */
class heavy_tailed_endpoint final : public weft::chat_model {
public:
    [[nodiscard]] std::string_view label() const noexcept override { return "heavy-tailed endpoint"; }

private:
    weft::task<weft::chat_reply> do_reply(weft::chat_request, weft::chat_sink& sink) override
    {
        constexpr double shape = 1.1;
        weft::serial_loop& loop = co_await weft::this_task::loop();
        const double factor = std::min(std::pow(1 - loop.random().uniform(), -1 / shape), 600.0);
        co_await weft::sleep_for(std::chrono::duration_cast<std::chrono::nanoseconds>(100ms * factor));
        sink.on_text("word");
        weft::chat_reply reply;
        reply.message = weft::message::assistant("word");
        reply.stop = weft::stop_reason::stop;
        co_return reply;
    }
};

weft::task<void> ask_in_turn(weft::chat_model* model, std::vector<double>* times_ms)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    for (int i = 0; i < calls_of_each; ++i) {
        weft::chat_request request;
        request.user("?");
        const weft::time_point began = loop.now();
        const weft::chat_reply reply = co_await model->reply(std::move(request));
        times_ms->push_back(std::chrono::duration<double, std::milli>{loop.now() - began}.count());
    }
}

weft::task<void> ask_side_by_side(weft::chat_model* model, std::vector<double>* times_ms)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    for (int i = 0; i < hedged_callers; ++i) children.spawn(ask_in_turn(model, times_ms));
    co_await children.join();
}

double p99_ms(std::uint64_t seed, weft::chat_model& model)
{
    weft::testing::simulation world{seed};
    std::vector<double> times;
    world.run(ask_side_by_side(&model, &times));
    require(times.size() == std::size_t{hedged_callers} * calls_of_each, "a call has no time");
    std::sort(times.begin(), times.end());
    return times[times.size() * 99 / 100];
}

struct hedge_result {
    double p99 = 0;
    double extra_percent = 0;
};

hedge_result with_hedges(std::uint64_t seed)
{
    weft::hedged_model model{std::make_shared<heavy_tailed_endpoint>()};
    hedge_result result;
    result.p99 = p99_ms(seed, model);
    const weft::hedge_counts counts = model.counts();
    result.extra_percent = 100.0 * static_cast<double>(counts.hedges) / static_cast<double>(counts.calls);
    return result;
}

double without_hedges(std::uint64_t seed)
{
    heavy_tailed_endpoint model;
    return p99_ms(seed, model);
}

}  // namespace

benchmarks hedge_benchmarks()
{
    const std::string load = "5,000 calls of a heavy-tailed endpoint, ten at a time, on virtual time: ";
    return {{"hedged_p99", "ms", load + "p99 with hedges; floor: without", "ratio <= 0.4",
             [] {
                 std::uint64_t hedged = 0;
                 std::uint64_t plain = 0;
                 return take_cold_turns(
                     hedge_rounds, [&] { return with_hedges(++hedged).p99; }, [&] { return without_hedges(++plain); });
             }},
            {"hedged_extra", "% of calls", load + "second calls that hedges make", "<= 6", [] {
                 std::uint64_t seed = 0;
                 return take_cold_turns(
                     hedge_rounds, [&] { return with_hedges(++seed).extra_percent; }, [] { return 0.0; });
             }}};
}

}  // namespace weft_bench
