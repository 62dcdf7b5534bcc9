// Sample 15, a chat with an agent: one that works with tools until it says that it is done or blocked, turn after turn.
// A script stands in for the model and for the person, unless the environment names an endpoint (docs/MODELS.md).

#include <weft/agent/agent_session.hpp>
#include <weft/agent/node/recovering_model.hpp>
#include <weft/base/environment.hpp>
#include <weft/model/any_model.hpp>
#include <weft/model/model_environment.hpp>
#include <weft/testing/scripted_model.hpp>
#include <weft/weft.hpp>

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// What the person says and what the model answers, where there are no real ones.
std::shared_ptr<weft::testing::scripted_model> make_script()
{
    using weft::testing::scripted_turn;
    auto script = std::make_shared<weft::testing::scripted_model>();
    script->then(scripted_turn{}.text("I look at the shelf. ").call("stock", {{"item", "umbrella"}}))
        .then(scripted_turn{"There are two umbrellas.\n<AGENT_DONE>Two umbrellas.</AGENT_DONE>"})
        .then(scripted_turn{"<AGENT_BLOCKED><BLOCKER_REASON>I may not sell.</BLOCKER_REASON>"
                            "<UNBLOCK_REQUIREMENTS>Ask the shop keeper.</UNBLOCK_REQUIREMENTS></AGENT_BLOCKED>"});
    return script;
}

std::optional<std::string> next_line(bool is_scripted, std::vector<std::string>& script)
{
    std::string line;
    if (!is_scripted) {
        std::cout << "you: " << std::flush;
        return std::getline(std::cin, line) ? std::optional{line} : std::nullopt;
    }
    if (script.empty()) return std::nullopt;
    line = script.front();
    script.erase(script.begin());
    std::cout << "you: " << line << '\n';
    return line;
}

// [graph]
struct stock_query {
    std::string item;
};
BOOST_DESCRIBE_STRUCT(stock_query, (), (item))

weft::graph make_agent(std::shared_ptr<weft::chat_model> model)
{
    weft::tool_set tools;
    tools.add("stock", "How many of an item are on the shelf.", [](const stock_query& what) {
        return what.item == "umbrella" ? 2 : 0;
    });
    weft::agent_options options;
    options.model = weft::with_recovery(std::move(model), nullptr);
    options.tools = std::make_shared<const weft::tool_set>(std::move(tools));
    options.prompt.base = "You help in a shop.";
    options.prompt.channel = "You speak in a terminal: plain text, short lines.";
    return weft::agent_graph(std::move(options));
}
// [/graph]

// [chat]
weft::task<int> chat(std::shared_ptr<weft::chat_model> model, bool is_scripted)
{
    weft::agent_session_options options;
    options.on_complete = [](const weft::completion_signal& signal) {
        std::cout << "  (" << weft::to_json(signal.stop).as_string().c_str()
                  << (signal.waiting_for_user ? ", it waits for you)\n" : ")\n");
    };
    weft::agent_session session{make_agent(std::move(model)), "shop", std::move(options)};
    std::vector<std::string> script{"Do we have umbrellas?", "Sell me one."};
    int turns = 0;
    while (std::optional<std::string> line = next_line(is_scripted, script)) {
        const weft::run_result result = co_await session.say(std::move(*line));
        if (!result.ok()) {
            std::cout << result.message() << '\n';
            co_return 1;
        }
        std::cout << "agent: " << result.get(weft::agent_keys::status).reply << '\n';
        ++turns;
    }
    co_return is_scripted && turns != 2 ? 1 : 0;
}
// [/chat]

int main()
{
    auto named = weft::read_any_model_environment(weft::process_environment());
    const bool is_scripted = !named;
    std::shared_ptr<weft::testing::scripted_model> script;
    std::shared_ptr<weft::chat_model> model;
    if (is_scripted) model = script = make_script();
    else model = weft::make_model(weft::http_client{weft::http_client_options{}}, std::move(*named));
    const int code = weft::run_blocking(chat(std::move(model), is_scripted));
    if (script) script->assert_complete();
    return code;
}
