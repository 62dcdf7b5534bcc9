// Sample 13, a turn agent: a model that calls tools turn by turn, within budgets, steered while it works, and with a
// second model that stands in for the first. Scripts stand in for both models, so that it runs without a key.

#include <weft/agent/turn_agent.hpp>
#include <weft/agent/turn_agent/turn_environment.hpp>
#include <weft/testing/scripted_model.hpp>
#include <weft/weft.hpp>

#include <boost/describe.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <utility>

using weft::testing::scripted_model;
using weft::testing::scripted_turn;

struct place {
    std::string city;
};
BOOST_DESCRIBE_STRUCT(place, (), (city))

weft::tool_set make_tools()
{
    weft::tool_set tools;
    tools.add("weather", "The weather of a city today.", [](const place& where) { return "rain in " + where.city; });
    tools.add("book", "Books a train to a city.", [](const place& where) { return "booked: " + where.city; });
    return tools;
}

// The capable model is overloaded, twice; the balanced one asks for the weather and for a train, and then answers.
std::shared_ptr<weft::chat_model> make_capable()
{
    auto model = std::make_shared<scripted_model>("capable");
    scripted_turn overloaded;
    overloaded.fails(weft::errc::model_overloaded);
    model->then(overloaded, 2);
    return model;
}

std::shared_ptr<weft::chat_model> make_balanced()
{
    auto model = std::make_shared<scripted_model>("balanced");
    scripted_turn looks, books;
    looks.text("Let me look. ").call("weather", {{"city", "Rome"}}).call("weather", {{"city", "Oslo"}});
    books.call("book", {{"city", "Rome"}});
    model->then(looks).then(books).then(scripted_turn{"It rains in Rome, and nothing was booked."});
    return model;
}

weft::turn_agent make_agent(const std::shared_ptr<weft::agent_mailbox>& mailbox)
{
    // [agent]
    weft::turn_agent_options options;
    options.models = {make_capable(), make_balanced()};
    options.tools = make_tools();
    options.sections = {{.id = "who", .text = "You plan journeys. Be brief.", .is_sticky = true}};
    options.budget = weft::budget_from_environment(weft::process_environment());  // IVY_MAX_TURNS=20 and so on
    options.mailbox = mailbox;
    // [/agent]
    // [policy]
    // The policy sees each call before it is made: it allows, rewrites or denies it, or has a person confirm it.
    options.calls.policy = [](const weft::tool_invocation& call, const weft::tool_entry&) {
        if (call.call.name == "book") return weft::tool_decision::deny("journeys are not booked before noon");
        return weft::tool_decision::allow();
    };
    // [/policy]
    // A message comes after the first look at the weather: the other call of that turn is skipped.
    options.calls.after = [mailbox](const weft::tool_invocation& call, weft::tool_answer&) {
        if (call.call.name == "weather" && !mailbox->post("journey", "Only Rome, please."))
            std::cerr << "The mailbox is full.\n";
    };
    return weft::turn_agent{std::move(options)};
}

void show(const weft::conversation& talk)
{
    for (const weft::conversation_entry& entry : talk) {
        std::cout << "  " << name_of(entry.message.role) << ": " << entry.message.text();
        for (const weft::tool_call& call : entry.message.tool_calls)
            std::cout << " <" << call.name << " " << call.arguments << ">";
        std::cout << "\n";
    }
}

int main()
{
    const auto mailbox = std::make_shared<weft::agent_mailbox>();
    const weft::turn_agent agent = make_agent(mailbox);

    // [run]
    weft::run_request request = agent.request("How is the weather in Rome and Oslo?", "journey");
    request.on_event([](const weft::run_event& event) {
        if (event.what != weft::run_event::kind::output) return;
        std::cout << event.label << " " << event.text << "\n";
    });
    const weft::turn_agent_result result = weft::run_blocking(agent.run(std::move(request)));
    // [/run]

    std::cout << "\nThe conversation:\n";
    show(result.conversation);
    std::cout << "\n" << result.spent.turns << " turns, " << result.spent.tool_calls << " calls of tools\n";
    if (result.outcome != weft::agent_outcome::answered) return std::cout << result.why << "\n", 1;
    std::cout << result.answer << "\n";
    return 0;
}
