// Sample 17, several agents at one task: three of them debate until they agree, and each of the three is a model of its
// own mind. Scripted models stand in for real ones.

#include <weft/agent/llm_node.hpp>
#include <weft/agent/pattern/pattern_debate.hpp>
#include <weft/agent/pattern/pattern_sequence.hpp>
#include <weft/testing/scripted_model.hpp>
#include <weft/weft.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <utility>

namespace patterns = weft::patterns;
using weft::testing::scripted_turn;

// [participant]
// A participant has the keys `task` and `answer`: any graph, or a node, here one that asks a model.
patterns::participant make_participant(std::string name, std::string character, std::shared_ptr<weft::chat_model> model)
{
    weft::llm_node_options options;
    options.settings.system = "You are " + name + ". " + character + " Answer in one line.";
    options.settings.prompt = "{task}";
    options.writes = {"answer"};
    return {std::move(name), weft::llm_node{std::move(model), std::move(options)}};
}
// [/participant]

/** One who has an opinion, and another one as soon as it has read what convinces it. */
std::shared_ptr<weft::chat_model> mind(std::string opinion, std::string convincing = {}, std::string later = {})
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    const auto has_read = [convincing](const weft::chat_request& request) {
        return request.messages[1].text().find(convincing) != std::string::npos;
    };
    for (int round = 0; round < 4 && !convincing.empty(); ++round) model->then(scripted_turn{later}.when(has_read));
    model->otherwise(scripted_turn{opinion});
    return model;
}

// [debate]
weft::graph make_panel()
{
    const auto engineer = make_participant("engineer", "You count.", mind("Ship on Monday."));
    const auto sceptic =
        make_participant("sceptic", "You doubt.", mind("Never ship.", "### engineer", "Ship on Monday."));
    const auto optimist =
        make_participant("optimist", "You hope.", mind("Ship now!", "### sceptic\nShip", "ship on monday"));
    weft::graph panel = patterns::debate("panel", {engineer, sceptic, optimist}, {.rounds_max = 4});
    // A pattern has the same keys as its participants, so it can be one of another pattern.
    const auto note = [](weft::node_context& node) {
        node.set(patterns::answer, "The panel says: " + node.get(patterns::given_task));
    };
    const auto next = [](std::string_view, const std::vector<patterns::contribution>& before) {
        return before.back().text;
    };
    return patterns::sequence("meeting", {{"panel", std::move(panel)}, {"minutes", note}}, next);
}
// [/debate]

int main()
{
    const weft::graph meeting = make_panel();
    const weft::engine engine{meeting};
    const auto watch = [](const weft::run_event& event) {
        if (event.what == weft::run_event::kind::output && event.label == "output")
            std::cout << "  " << event.address << ": " << event.text << '\n';
    };
    const weft::run_result result = weft::run_blocking(engine.run(
        weft::run_request{}.input(patterns::given_task, std::string{"When do we ship?"}).on_event(watch)));
    std::cout << result.message() << '\n';
    if (!result.ok()) return 1;
    std::cout << result.get(patterns::answer) << '\n';
    return result.get(patterns::answer) == "The panel says: Ship on Monday." ? 0 : 1;
}
