// Sample 24, long-term memory: what an assistant is told in one conversation it knows in the next one, and
// of another user it knows nothing. The store is in the process here; a file or a database keeps it for ever.

#include <weft/weft.hpp>

#include <weft/agent/memory_tools.hpp>
#include <weft/agent/react_agent.hpp>
#include <weft/async/run_blocking.hpp>
#include <weft/store/item_space.hpp>
#include <weft/store/memory_items.hpp>
#include <weft/testing/scripted_model.hpp>

#include <iostream>
#include <memory>
#include <string>

inline constexpr weft::state_key<std::string> user{"user"};

// [tools]
// The agent has the tools remember, recall and forget. They use the memory of the graph, which is that
// of the user: `scope` names the namespace, and {user} is the value of the key.
weft::graph assistant(const std::shared_ptr<weft::chat_model>& model)
{
    weft::react_options options;
    options.name = "assistant";
    options.settings.system = "Remember what the user tells you of himself, and look it up when you need it.";
    weft::add_memory_tools(options.tools);
    const weft::react_agent agent{model, std::move(options)};
    return weft::graph_builder{"assistant"}
        .state(user, weft::react_messages, weft::react_answer)
        .memory({.scope = {"users", "{user}"}, .items_max = 200})
        .node("agent", weft::subgraph{agent.graph()})
        .edge(weft::start, "agent")
        .build();
}
// [/tools]

// [run]
weft::task<void> talk(const weft::engine& engine, std::shared_ptr<const weft::item_space> memory, std::string who,
                      std::string said)
{
    weft::run_options options;
    options.memory(memory);
    weft::run_request request;
    request.options(std::move(options)).input(user, who);
    request.input(weft::react_messages, weft::message::user(said));
    const weft::run_result result = co_await engine.run(std::move(request));
    std::cout << who << ": " << said << "\n  " << result.get(weft::react_answer) << '\n';
}
// [/run]

weft::task<void> talks(const weft::engine& engine, std::shared_ptr<const weft::item_space> memory)
{
    co_await talk(engine, memory, "ada", "I have moved to Lima.");
    co_await talk(engine, memory, "ada", "Which city do I live in?");
    co_await talk(engine, memory, "bob", "Which city do I live in?");
}

int main()
{
    // What a model would say: it remembers, and in two later conversations it looks the fact up.
    using weft::testing::scripted_turn;
    const auto model = std::make_shared<weft::testing::scripted_model>();
    model->then(scripted_turn{}.call("remember", {{"name", "city"}, {"text", "She lives in Lima."}}))
        .then(scripted_turn{"I will remember that."})
        .then(scripted_turn{}.call("recall", {{"query", "which city lives"}}))
        .then(scripted_turn{"In Lima."}.expects([](const weft::chat_request& asked) {
            if (asked.messages[asked.messages.size() - 1].text().find("She lives in Lima.") == std::string::npos)
                throw weft::error{weft::errc::invalid_configuration, "sample", "the memory did not say where"};
        }))
        .then(scripted_turn{}.call("recall", {{"query", "which city lives"}}))
        .then(scripted_turn{"I do not know yet."});

    const weft::engine engine{assistant(model)};
    const auto store = std::make_shared<weft::memory_items>();  // or a sqlite_store, a postgres_store
    const auto memory = std::make_shared<const weft::item_space>(store, "acme");
    weft::run_blocking(talks(engine, memory));
    model->assert_complete();
}
