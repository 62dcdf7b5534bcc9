// Cookbook: a supervisor that gives tasks to two workers side by side and answers itself.

// [program]
#include <weft/agent/supervisor.hpp>
#include <weft/base/environment.hpp>
#include <weft/model/any_model.hpp>
#include <weft/model/model_environment.hpp>
#include <weft/testing/scripted_model.hpp>
#include <weft/weft.hpp>

#include <boost/describe.hpp>

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

using namespace std::chrono_literals;

struct city {
    std::string name;
};
BOOST_DESCRIBE_STRUCT(city, (), (name))

// A worker sees its task only, not the conversation of the supervisor, and has tools of its own.
weft::supervisor_worker make_worker(std::string name, std::string when, std::string system)
{
    weft::supervisor_worker worker;
    worker.when = std::move(when);  // the supervisor's model reads this
    worker.agent.name = std::move(name);
    worker.agent.settings.system = std::move(system);
    worker.agent.settings.turns_max = 6;
    return worker;
}

weft::graph make_travel_agency(std::shared_ptr<weft::chat_model> model)
{
    weft::supervisor_worker weather = make_worker("weather", "Knows the weather of a city.", "You are weather.");
    weather.agent.tools.add("forecast", "The weather of a city tomorrow.",
                            [](const city& where) { return where.name + ": rain, 12 °C"; });
    weft::supervisor_worker trains = make_worker("trains", "Knows trains between cities.", "You are trains.");
    trains.agent.tools.add("departures", "Trains to a city.",
                           [](const city& where) { return "to " + where.name + ": 8:02, 10:02"; });
    weft::react_options boss;
    boss.name = "travel";
    boss.settings.system = "You are travel. You plan journeys. Ask the workers, then answer in one paragraph.";
    return weft::make_supervisor(std::move(model), std::move(boss), {std::move(weather), std::move(trains)},
                                 {.delegations_max = 6, .concurrency_max = 2, .worker_timeout = 2min});
}

// Plays all three models, each of which is known by its system text.
std::shared_ptr<weft::testing::scripted_model> make_script()
{
    using weft::testing::scripted_turn;
    const auto is = [](std::string_view name) {
        return [begin = "You are " + std::string{name}](const weft::chat_request& request) {
            return request.messages[0].text().starts_with(begin);
        };
    };
    auto script = std::make_shared<weft::testing::scripted_model>();
    script->then(scripted_turn{}.call("ask_weather", {{"task", "Rome tomorrow?"}})
                     .call("ask_trains", {{"task", "Trains to Rome?"}}).when(is("travel")))
        .then(scripted_turn{}.call("forecast", {{"name", "Rome"}}).when(is("weather")))
        .then(scripted_turn{"Rain, 12 °C."}.when(is("weather")))
        .then(scripted_turn{}.call("departures", {{"name", "Rome"}}).when(is("trains")))
        .then(scripted_turn{"Take the one at 8:02."}.when(is("trains")))
        .then(scripted_turn{"Take the train at 8:02, and an umbrella: it rains in Rome."}.when(is("travel")));
    return script;
}

int main()
{
    auto named = weft::read_any_model_environment(weft::process_environment());
    const auto script = make_script();
    std::shared_ptr<weft::chat_model> model = script;
    if (named) model = weft::make_model(weft::http_client{}, std::move(*named));

    const weft::graph agency = make_travel_agency(std::move(model));
    const weft::run_result result = weft::run_blocking(
        agency, weft::run_request{}.input(weft::react_messages, weft::message::user("I go to Rome tomorrow.")));
    if (result.status != weft::run_status::finished) {
        std::cerr << result.message() << '\n';  // a worker that fails is no failure of the run: the supervisor reads it
        return 1;
    }
    for (const weft::message& said : result.state.get(weft::react_messages))
        std::cout << name_of(said.role) << ": " << said.text() << '\n';
    if (!named) script->assert_complete();
}
// [/program]
