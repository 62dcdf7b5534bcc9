// Cookbook: a chat agent with tools, streamed to the terminal, that remembers the conversation.

// [program]
#include <weft/agent/react_agent.hpp>
#include <weft/base/environment.hpp>
#include <weft/model/any_model.hpp>
#include <weft/model/model_environment.hpp>
#include <weft/testing/scripted_model.hpp>
#include <weft/weft.hpp>

#include <boost/describe.hpp>

#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

struct order_query {
    std::string number;
};
BOOST_DESCRIBE_STRUCT(order_query, (), (number))

// A tool is a function. One that waits, such as for a database, is a coroutine; what it throws the model reads.
weft::task<std::string> look_up(order_query query)
{
    co_await weft::sleep_for(5ms);
    if (query.number != "1017") throw weft::error{weft::errc::node_failed, query.number, "there is no such order"};
    co_return "left the warehouse on Monday";
}

weft::react_agent make_agent(std::shared_ptr<weft::chat_model> model)
{
    weft::react_options options;
    options.settings.system = "You help customers of a shop. Look orders up before you answer.";
    options.settings.turns_max = 8;  // calls of the model for one message; then it has to answer
    options.tools.add("order", "Where an order is.", [](order_query query) { return look_up(std::move(query)); })
        .describe("number", "four digits")
        .timeout(10s)
        .idempotent();
    return weft::react_agent{std::move(model), std::move(options)};
}

void show(const weft::run_event& event)
{
    if (event.what != weft::run_event::kind::output) return;
    if (event.label == "output") std::cout << event.text << std::flush;              // a piece of the reply
    if (event.label == "tool_start") std::cout << "[calls " << event.text << "]\n";  // JSON: id and name
}

// One message of the user: the whole conversation goes in and comes out.
bool say(const weft::react_agent& agent, weft::list<weft::message>& conversation, std::string text)
{
    weft::run_request request = weft::run_request{"terminal"}
                                    .overwrite(weft::react_messages, conversation)
                                    .input(weft::react_messages, weft::message::user(std::move(text)))
                                    .on_event(show);
    const weft::run_result result = weft::run_blocking(agent.graph(), std::move(request));
    std::cout << '\n';
    if (result.status != weft::run_status::finished) return std::cerr << result.message() << '\n', false;
    conversation = result.state.get(weft::react_messages);
    return true;
}

int main()
{
    weft::list<weft::message> conversation;
    if (auto named = weft::read_any_model_environment(weft::process_environment())) {
        const weft::react_agent agent = make_agent(weft::make_model(weft::http_client{}, std::move(*named)));
        for (std::string line; std::cout << "you: " << std::flush, std::getline(std::cin, line);)
            say(agent, conversation, std::move(line));  // what failed was printed; the chat goes on
        return 0;
    }
    // Without a model in the environment a script plays it, and the customer too.
    using weft::testing::scripted_turn;
    auto script = std::make_shared<weft::testing::scripted_model>();
    script->then(scripted_turn{}.call("order", {{"number", "1071"}}).call("order", {{"number", "1017"}}))
        .then(scripted_turn{"There is no order 1071. Order 1017 left the warehouse on Monday."})
        .then(scripted_turn{"You are welcome!"});
    const weft::react_agent agent = make_agent(script);
    const bool is_well = say(agent, conversation, "Where are 1071 and 1017?") && say(agent, conversation, "Thanks!");
    script->assert_complete();
    return is_well && conversation.size() == 7 ? 0 : 1;
}
// [/program]
