// Sample 22, a durable function: plain code whose steps are kept. The process dies between two steps,
// and the next one goes on without doing the first step again. Here both are objects in one program.

#include <weft/weft.hpp>

#include <weft/async/scope.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/engine/durable_function.hpp>
#include <weft/store/memory_store.hpp>

#include <boost/describe/class.hpp>

#include <chrono>
#include <iostream>
#include <memory>
#include <string>

using namespace std::chrono_literals;

// [function]
struct order {
    std::string item;
    std::int64_t cents = 0;
};
BOOST_DESCRIBE_STRUCT(order, (), (item, cents))

weft::task<std::string> reserve(const std::string& item)
{
    std::cout << "  reserves " << item << '\n';
    co_return "shelf 7";
}

weft::task<std::string> charge(std::int64_t cents)
{
    co_await weft::sleep_for(50ms);
    std::cout << "  charges " << cents << " cents\n";
    co_return "receipt 1";
}

// Plain code: variables, conditions, loops. What a step gave is written down, so a function that is called again after
// a crash goes quickly through the steps that are done.
weft::task<std::string> buy(weft::function_context& ctx, order what)
{
    const auto reserving = [&] { return reserve(what.item); };
    const std::string place = co_await ctx.step("reserve", reserving);
    if (what.cents == 0) co_return "free, from " + place;

    weft::step_options careful;
    careful.retry.attempts_max = 3;
    careful.timeout = 5s;
    const auto charging = [&] { return charge(what.cents); };
    const std::string receipt = co_await ctx.step("charge", careful, charging);
    co_return receipt + ", from " + place;
}

const weft::durable_function<order, std::string> buying{"buy", buy};
// [/function]

std::shared_ptr<const weft::durable_graphs> make_graphs()
{
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(buying.graph());
    return graphs;
}

// [run]
weft::task<std::string> ask_for_it(weft::checkpoint_store& store, weft::durable_options options)
{
    weft::durable_engine durable{store, make_graphs(), options};
    co_await durable.open();
    order what;
    what.item = "a lamp";
    what.cents = 1999;
    weft::durable_request request = buying.request("order-1", what);
    request.on_busy(weft::busy_policy::queue);
    const weft::run_result result = co_await durable.run(std::move(request));
    co_return buying.result(result);
}
// [/run]

weft::task<void> without_result(weft::task<std::string> work) { co_await std::move(work); }

// A process that is gone without a word: its coroutines are destroyed where they wait.
weft::task<void> die_after(weft::task<void> process, std::chrono::nanoseconds span)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    children.spawn(std::move(process));
    co_await weft::sleep_for(span);
}

weft::task<std::string> both(weft::checkpoint_store& store)
{
    weft::durable_options options;
    options.lifetime = 200ms;
    options.heartbeat_every = 50ms;
    std::cout << "The first process\n";
    weft::task<void> first = without_result(ask_for_it(store, options));
    co_await die_after(std::move(first), 20ms);
    co_await weft::sleep_for(300ms);
    std::cout << "The second process\n";
    weft::durable_engine durable{store, make_graphs(), options};
    co_await durable.open();
    co_await durable.recover();
    const weft::run_result result = co_await durable.follow(weft::thread_key{"order-1"});
    co_return buying.result(result);
}

int main()
{
    weft::memory_store store;
    const std::string told = weft::run_blocking(both(store));
    std::cout << told << '\n';
    return told == "receipt 1, from shelf 7" ? 0 : 1;
}
