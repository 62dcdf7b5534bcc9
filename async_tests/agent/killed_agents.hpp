#pragma once

#include "engine/durable/durable_cases.hpp"
#include "engine/durable/durable_processes.hpp"
#include "tool_agents.hpp"

#include <weft/async/sleep.hpp>
#include <weft/testing/faulty_store.hpp>

#include <boost/test/unit_test.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

/** Agents whose processes are killed: what outlives these, and processes that take over what others left. */
namespace weft_tests::killed_agents {

/** A provider that lives longer than the processes that ask it: what it was asked, by idempotency key. */
struct provider {
    std::map<std::string, int> asked;
    std::map<std::string, int> tools;
    int calls = 0;
};

/** What a model answers to a request, from what was said alone. */
using honest_answer = std::function<weft::message(const weft::chat_request&)>;

/** Answers as models do, after a while. */
class honest_model final : public weft::chat_model {
public:
    honest_model(std::shared_ptr<provider> of, honest_answer answer)
        : provider_{std::move(of)}, answer_{std::move(answer)}
    {
    }
    [[nodiscard]] std::string_view label() const noexcept override { return "honest"; }

private:
    weft::task<weft::chat_reply> do_reply(weft::chat_request request, weft::chat_sink&) override
    {
        return reply(provider_, answer_, std::move(request));
    }
    static weft::task<weft::chat_reply> reply(std::shared_ptr<provider> of, honest_answer answer,
                                              weft::chat_request request)
    {
        ++of->calls;
        ++of->asked[request.call_id];
        co_await weft::sleep_for(std::chrono::milliseconds{30});
        weft::chat_reply reply;
        reply.message = answer(request);
        reply.stop = reply.message.tool_calls.empty() ? weft::stop_reason::stop : weft::stop_reason::tool_calls;
        co_return reply;
    }
    std::shared_ptr<provider> provider_;
    honest_answer answer_;
};

/** A message that calls one tool. */
[[nodiscard]] inline weft::message calling(std::string tool, std::string id, std::string arguments)
{
    weft::message one = weft::message::assistant("");
    one.tool_calls.push_back({std::move(id), std::move(tool), std::move(arguments)});
    return one;
}

[[nodiscard]] inline bool has_called(const weft::chat_request& request, std::string_view tool)
{
    for (const weft::message& one : request.messages)
        for (const weft::tool_call& call : one.tool_calls)
            if (call.name == tool) return true;
    return false;
}

inline weft::task<std::string> look_out(std::shared_ptr<provider> of, std::string key, std::string city)
{
    ++of->tools[key];
    co_await weft::sleep_for(std::chrono::milliseconds{20});
    co_return "rain in " + city;
}

/** The tool `weather`, which counts how often it is called, by idempotency key. */
inline void add_weather(weft::tool_set& to, const std::shared_ptr<provider>& of)
{
    to.add("weather", "The weather of a city.",
           [of](const tool_agents::city_of_tool& at, const weft::tool_context& context) {
               return look_out(of, context.idempotency_key, at.city);
           });
}

/** Each call of the store takes a while before it counts and before its answer comes: moments to be killed in. */
[[nodiscard]] inline weft::testing::store_faults slow_store()
{
    weft::testing::store_faults faults;
    faults.delay_up_to(std::chrono::milliseconds{5});
    return faults;
}

struct world {
    weft::testing::simulation sim{1};
    weft::memory_store memory{test_key()};
    weft::testing::faulty_store store{memory, slow_store(), 1};
    std::shared_ptr<provider> outside = std::make_shared<provider>();
};

/** What is run in a world: its graph, and what the run of the thread `t` begins with. */
struct agents_at_work {
    std::function<weft::graph(std::shared_ptr<provider>)> make;
    std::function<weft::run_request()> begin;
};

/** A process: takes over what others left, or begins if there is nothing. */
[[nodiscard]] inline weft::task<weft::run_result> process(world& w, const agents_at_work& what)
{
    weft::durable_options options;
    options.attempts_max = 1000;
    return later_process(w.store, graphs_of(what.make(w.outside)), std::move(options),
                         weft::durable_request{what.begin()});
}

[[nodiscard]] inline weft::state left_by(const weft::run_result& result)
{
    BOOST_REQUIRE_MESSAGE(result.status == weft::run_status::finished, result.message());
    return result.state;
}

[[nodiscard]] inline weft::state run_to_end(world& w, const agents_at_work& what)
{
    return left_by(w.sim.run(process(w, what)));
}

/** Lets a process run for so many steps. @return What it left, if it came to its end. */
[[nodiscard]] inline std::optional<weft::state> run_for(world& w, const agents_at_work& what, std::size_t steps)
{
    const std::optional<weft::run_result> result = weft_tests::run_for(w.sim, process(w, what), steps);
    if (!result) return std::nullopt;
    return left_by(*result);
}

/** Kills a process at every moment of its work, lets another one end it, and has a function look at the end.
 *  @return   How many were killed before their end. */
inline std::size_t kill_at_every_moment(
    const agents_at_work& what,
    const std::function<void(const world&, const weft::state&, const std::string& where)>& check)
{
    std::size_t moments = 0;
    {
        world w;
        check(w, run_to_end(w, what), "undisturbed");
        moments = w.sim.steps();
    }
    std::size_t kills = 0;
    for (std::size_t at = 0; at < moments; ++at) {
        world w;
        std::optional<weft::state> left = run_for(w, what, at);
        kills += left ? 0 : 1;
        if (!left) left = run_to_end(w, what);
        check(w, *left, "killed after " + std::to_string(at) + " steps");
    }
    return kills;
}

}  // namespace weft_tests::killed_agents
