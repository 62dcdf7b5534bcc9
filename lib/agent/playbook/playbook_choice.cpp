#include "playbook_choice.hpp"

#include "agent/node/model_choice.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/graph/node_context.hpp>

#include <utility>

namespace weft::agent_detail {

namespace {

constexpr int answers_max = 2;  // the first, and one more after an answer that names none

std::optional<std::size_t> read_choice(std::string_view reply, const std::vector<std::string>& choices)
{
    if (choices != yes_and_no()) return choice_in(reply, choices);
    const std::optional<bool> answer = yes_or_no_in(reply);
    if (!answer) return std::nullopt;
    return *answer ? 0 : 1;
}

}  // namespace

task<std::optional<std::size_t>> choose_in_playbook(const compiled_playbook& own, std::string question,
                                                    std::vector<std::string> choices, node_context& node)
{
    const std::string form = choice_instructions(choices);
    chat_request request =
        playbook_request(own, node, question + "\n\n" + playbook_progress(node) + "\n\n" + form);
    request.output = choice_schema(choices);
    for (int answers = 1;; ++answers) {
        chat_request asked = request;
        std::string reply = co_await ask_playbook_model(own, std::move(asked), node, playbook_question::choice);
        const std::optional<std::size_t> found = read_choice(reply, choices);
        if (found) co_return found;
        if (answers == answers_max) break;
        // The model sees what it said: asked the same again it would say the same again.
        request.add(message::assistant(std::move(reply))).user("That names none of them. " + form);
    }
    node.emit(agent_event::warning, "the model chose none of the answers that there are");
    co_return std::nullopt;
}

task<bool> holds_in_playbook(const compiled_playbook& own, std::string statement, node_context& node)
{
    std::string question = "Does this hold now?\n\n" + statement;
    std::vector<std::string> answers = yes_and_no();
    const std::optional<std::size_t> answer =
        co_await choose_in_playbook(own, std::move(question), std::move(answers), node);
    co_return answer == std::size_t{0};
}

task<command> choose_playbook_route(const compiled_playbook& own, const playbook_node& what, node_context& node)
{
    std::string question = fill_in_node(node, what.prompt) + "\n\nChoose one of:";
    for (const std::string& route : what.routes) question += "\n- " + route;
    std::vector<std::string> routes = what.routes;
    const std::optional<std::size_t> chosen =
        co_await choose_in_playbook(own, std::move(question), std::move(routes), node);
    const std::size_t route = chosen.value_or(0);
    keep_playbook_output(node, what, boost::json::string_view{what.routes[route]});
    co_return command::label("route-" + std::to_string(route));
}

task<command> decide_playbook_condition(const compiled_playbook& own, const playbook_node& what, node_context& node)
{
    std::string condition = fill_in_node(node, what.condition);
    bool holds = false;
    if (what.asks_model()) holds = co_await holds_in_playbook(own, std::move(condition), node);
    else holds = playbook_condition_holds(condition);
    keep_playbook_output(node, what, holds);
    co_return command::label(holds ? "condition-true" : "condition-false");
}

}  // namespace weft::agent_detail
