// Sample 16, a heartbeat: an agent that works by itself by the clock, with a fresh talk each time, and tells people
// when it fails again and again. A script stands in for the model; an hour passes in no time.

#include <weft/agent/chat_agent/heartbeat_service.hpp>
#include <weft/async/scope.hpp>
#include <weft/testing/scripted_model.hpp>
#include <weft/testing/simulation.hpp>
#include <weft/weft.hpp>

#include <chrono>
#include <cstddef>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

// [graph]
weft::graph make_heartbeat(std::shared_ptr<weft::chat_model> model)
{
    weft::heartbeat_options options;
    options.agent.model = std::move(model);
    options.agent.prompt.base = "You look after a garden, by yourself.";
    options.directive = "Look at the beds and do what is most urgent.";
    options.projects = [] { return std::vector<weft::named_text>{{"roses", "the bed at the wall"}}; };
    options.rules = {"Cut nothing without being asked."};
    return weft::heartbeat_graph(std::move(options));
}
// [/graph]

// [service]
weft::task<std::size_t> watch_for_an_hour(std::shared_ptr<weft::chat_model> model)
{
    std::size_t beats = 0;
    weft::heartbeat_service_options options;
    options.every = 20min;
    options.on_audit = [&beats](const weft::heartbeat_event& event) {
        if (event.what == weft::heartbeat_event::kind::started) return;
        ++beats;
        std::cout << "beat " << event.beat << ": " << event.text << '\n';
    };
    options.on_notice = [](const weft::heartbeat_event& event) {
        std::cout << "it failed " << event.failures_in_a_row << " times in a row\n";
    };
    weft::heartbeat_service service{make_heartbeat(std::move(model)), std::move(options)};

    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    children.spawn(service.run());
    co_await weft::sleep_for(61min);
    children.request_stop();
    co_await children.join();
    co_return beats;
}
// [/service]

int main()
{
    using weft::testing::scripted_turn;
    auto model = std::make_shared<weft::testing::scripted_model>();
    model->then(scripted_turn{"<AGENT_DONE>Watered the roses.</AGENT_DONE>"})
        .then(scripted_turn{"<AGENT_BLOCKED><BLOCKER_REASON>The tap is locked.</BLOCKER_REASON>"
                            "<UNBLOCK_REQUIREMENTS>The key to the tap.</UNBLOCK_REQUIREMENTS></AGENT_BLOCKED>"})
        .then(scripted_turn{"<AGENT_DONE>Found the key and watered.</AGENT_DONE>"});
    weft::testing::simulation garden{1};
    const std::size_t beats = garden.run(watch_for_an_hour(model));
    model->assert_complete();
    return beats == 3 ? 0 : 1;
}
