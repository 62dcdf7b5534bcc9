// Facades: the names, defaults and errors of three other systems, on the one engine. See
// docs/FACADES.md.

#include <weft/facade/ensemble_loop.hpp>
#include <weft/facade/state_graph.hpp>
#include <weft/facade/turn_engine.hpp>
#include <weft/weft.hpp>

#include <iostream>
#include <string>
#include <utility>
#include <vector>

// [ensemble]
// A draft is written and criticised until the critic is content. On a further visit `prompt()` has
// the revision instructions and what the same state gave before.
std::string write_draft(weft::ensemble_task_context& task)
{
    return "Draft " + std::to_string(task.visit()) + " for: " + task.description();
}

std::string criticise(weft::ensemble_task_context& task)
{
    return task.visit() < 2 ? "too long" : "good";
}

weft::ensemble_graph make_ensemble()
{
    const auto is_good = [](const weft::ensemble_routing_context& routing) {
        return routing.last_output.text == "good";
    };
    return weft::ensemble_graph::builder{}
        .name("review")
        .state("write", {"An article about {topic}", write_draft})
        .state_no_feedback("critique", {"Is it good?", criticise})
        .edge("write", "critique")
        .edge("critique", std::string{weft::ensemble_graph::end}, is_good, "good")
        .edge("critique", "write")
        .start("write")
        .max_steps(10)
        .on_max_steps(weft::step_limit_action::return_with_flag)
        .build();
}
// [/ensemble]

bool run_ensemble()
{
    auto request = weft::ensemble_request{}.inputs({{"topic", "rain"}}).on_state_completed(
        [](const weft::ensemble_state_completed& step) {
            std::cout << "  " << step.step_number << ' ' << step.state_name << " -> "
                      << step.next_state << '\n';
        });
    const auto result = weft::run_blocking(make_ensemble().run(std::move(request)));
    std::cout << result.last_output_for_state("write")->text << '\n';
    return result.termination_reason == "terminal" && result.steps_run() == 4;
}

// [state]
// Nodes answer with messages, state or commands; a person is asked before anything is sent.
weft::state_command triage(weft::node_context& ctx)
{
    const bool is_urgent = ctx.get(weft::context_key).back().text().find("now") != std::string::npos;
    return weft::state_command{is_urgent ? "This is urgent." : "This can wait."}.go_to(
        is_urgent ? "send" : std::string{weft::end});
}

weft::compiled_state_graph make_state_graph()
{
    return weft::state_graph{"support"}
        .add_node("triage", triage)
        .add_node("send", [] { return "Sent."; })
        .set_entry_point("triage")
        .add_edge("send", std::string{weft::end})
        .compile({.interrupt_before = {"send"}});
}

weft::task<weft::state_result> ask_and_go_on(weft::compiled_state_graph graph)
{
    std::vector first{weft::message::user("I need it now")};
    auto request = weft::state_request{std::move(first)}.thread("customer 7");
    const weft::state_result asked = co_await graph.invoke(std::move(request));
    std::cout << asked.interrupt_reason << '\n';  // interrupt_before: send

    // The same thread goes on where it was interrupted; what is given joins its conversation.
    std::vector answer{weft::message::user("Yes, send it.")};
    auto resume = weft::state_request{std::move(answer)}.thread("customer 7");
    co_return co_await graph.invoke(std::move(resume));
}
// [/state]

bool run_state_graph()
{
    const auto result = weft::run_blocking(ask_and_go_on(make_state_graph()));
    for (const weft::message& said : result.context())
        std::cout << "  " << name_of(said.role) << ": " << said.text() << '\n';
    return result.status == weft::thread_status::completed && result.context().size() == 4;
}

// [turn]
// One state, changed in place by one node after the other; one edge leaves each node.
struct turn_state {
    std::vector<std::string> messages;
    std::string outcome;
};

void call_model(turn_state& turn, weft::turn_context& context)
{
    context.report_tokens(1'000);
    turn.messages.push_back("reply " + std::to_string(turn.messages.size() + 1));
}

void reconcile(turn_state& turn)
{
    if (turn.messages.size() == 3) turn.outcome = "answered";
}

weft::turn_engine<turn_state> make_turns(weft::turn_limits limits)
{
    const auto is_over = [](const turn_state& turn) {
        return std::string{turn.outcome.empty() ? "call" : "finish"};
    };
    return weft::turn_graph<turn_state>{}
        .add_node("call", call_model, {.max_retries = 2})
        .add_node("reconcile", reconcile)
        .add_node("finish", [](turn_state& turn) { turn.messages.push_back("done"); })
        .set_entry_point("call")
        .add_edge("call", "reconcile")
        .add_conditional_edge("reconcile", is_over)
        .build({.limits = limits});
}

std::string outcome_of(const weft::turn_engine<turn_state>& engine)
{
    try {
        return weft::run_blocking(engine.run({})).state.outcome;
    } catch (const weft::turn_limit_error& e) {
        return "no more " + std::string{name_of(e.dimension())};
    }
}
// [/turn]

int main()
{
    const bool ensemble_went_well = run_ensemble();
    const bool state_graph_went_well = run_state_graph();
    const std::string answered = outcome_of(make_turns({}));
    const std::string stopped = outcome_of(make_turns({.max_total_tokens = 2'000}));
    std::cout << answered << ", " << stopped << '\n';
    const bool turns_went_well = answered == "answered" && stopped == "no more tokens";
    return ensemble_went_well && state_graph_went_well && turns_went_well ? 0 : 1;
}
