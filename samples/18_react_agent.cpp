// Sample 18, agents with tools: two agents share a conversation, one hands it over to the other, hooks look at what
// they do, and every event is published. A scripted model stands in for a real one.

#include <weft/agent/agent_team.hpp>
#include <weft/observe/event_deliveries.hpp>
#include <weft/observe/lifecycle_hooks.hpp>
#include <weft/observe/publish_to.hpp>
#include <weft/testing/scripted_model.hpp>
#include <weft/weft.hpp>

#include <boost/describe.hpp>

#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

using namespace std::chrono_literals;

// [agent]
struct invoice_number {
    std::string number;
};
BOOST_DESCRIBE_STRUCT(invoice_number, (), (number))

// A model, its tools, and the way round: it calls tools until it answers, at most eight times.
weft::react_options make_billing()
{
    weft::react_options billing;
    billing.name = "billing";
    billing.settings.system = "You are billing. You know all invoices.";
    billing.settings.turns_max = 8;
    billing.tools
        .add("invoice", "What became of an invoice.",
             [](const invoice_number& of) { return "invoice " + of.number + " was paid on Monday"; })
        .describe("number", "as it stands on the invoice")
        .idempotent();
    return billing;
}
// [/agent]

// [hooks]
// What an agent asks and calls can be changed, replaced and mended on the way.
void log_tools(weft::react_options& agent)
{
    agent.hooks.before_tool([](weft::tool_invocation& call) {
        std::cout << "  calls " << call.call.name << ' ' << call.call.arguments << '\n';
        return std::optional<std::string>{};  // a text would skip the call and tell the model why
    });
}
// [/hooks]

// [team]
// Triage can hand the conversation over to billing only.
weft::graph make_support(std::shared_ptr<weft::chat_model> model)
{
    weft::react_options triage;
    triage.name = "triage";
    triage.settings.system = "You are triage. You find out who can help.";
    triage.settings.hands_over = {{"billing", "The user asks about invoices or payments."}};
    weft::react_options billing = make_billing();
    log_tools(billing);
    return weft::make_agent_team(std::move(model), {{.agent = std::move(triage)}, {.agent = std::move(billing)}});
}
// [/team]

std::shared_ptr<weft::testing::scripted_model> make_model()
{
    using weft::testing::scripted_turn;
    const auto is_for = [](std::string_view agent) {
        return [begin = "You are " + std::string{agent}](const weft::chat_request& request) {
            return request.messages[0].text().starts_with(begin);
        };
    };
    auto model = std::make_shared<weft::testing::scripted_model>();
    model->then(scripted_turn{}.text("One moment. ").call("transfer_to_billing").when(is_for("triage")))
        .then(scripted_turn{}.call("invoice", {{"number", "1017"}}).when(is_for("billing")))
        .then(scripted_turn{"It was paid on Monday."}.when(is_for("billing")))
        .then(scripted_turn{"You are welcome."}.when(is_for("billing")));
    return model;
}

int main()
{
    const auto model = make_model();
    const weft::graph support = make_support(model);

    // [publish]
    auto out = std::make_shared<weft::event_publisher>(std::make_unique<weft::console_delivery>(std::cout));
    weft::publication about;
    about.thread = "customer 7";
    about.takes = [](const weft::run_event& event) { return event.what == weft::run_event::kind::node_started; };

    weft::lifecycle_hooks life;
    life.on_end([](const weft::lifecycle_moment& moment) { std::clog << moment.thread << ": done\n"; });

    weft::run_request request{"customer 7"};
    request.input(weft::react_messages, weft::message::user("Is invoice 1017 paid?"))
        .on_event(weft::publish_to(out, about));
    const weft::run_result first = weft::run_blocking(support, life.attach(std::move(request)));
    out->close(5s);  // delivers what is left
    // [/publish]

    // The next message of the user is for the agent that had the conversation last.
    weft::run_request again{"customer 7"};
    again.overwrite(weft::react_messages, first.get(weft::react_messages))
        .overwrite(weft::active_agent, first.get(weft::active_agent))
        .input(weft::react_messages, weft::message::user("Thank you!"));
    const weft::run_result second = weft::run_blocking(support, std::move(again));

    for (const weft::message& said : second.get(weft::react_messages)) {
        std::cout << name_of(said.role) << ": " << said.text();
        for (const weft::tool_call& call : said.tool_calls) std::cout << " [" << call.name << ']';
        std::cout << '\n';
    }
    model->assert_complete();
    const bool is_right = first.get(weft::active_agent) == "billing" &&
                          second.get(weft::react_answer) == "You are welcome.";
    return second.ok() && is_right ? 0 : 1;
}
