#include <weft/agent/node/model_route_decider.hpp>

#include "agent/prompt/object_schema.hpp"
#include "agent/text/key_text.hpp"

#include <boost/assert.hpp>

#include <utility>

namespace weft {

namespace {

constexpr std::size_t value_text_max = 2000;  // bytes of each value that the model is told

constexpr const char* role_text =
    "You decide where a graph of steps goes on after a step. Choose exactly one of the candidates. Answer with one "
    "JSON object and nothing else: {\"target\": \"<the name of a candidate>\", \"reasoning\": \"<one sentence>\"}.";

void add_part(std::string& text, std::string_view title, std::string_view body)
{
    if (body.empty()) return;
    text.append(text.empty() ? "" : "\n\n").append(title).append(body);
}

std::string text_of(const route_question& question)
{
    std::string output;
    for (const auto& [name, value] : question.output)
        output.append("\n").append(name).append(": ").append(
            agent_detail::shortened(agent_detail::readable_json(value), value_text_max));
    std::string candidates;
    for (const route_question::candidate& one : question.candidates) {
        candidates.append("\n- ").append(one.node);
        if (!one.description.empty()) candidates.append(": ").append(one.description);
    }
    std::string text;
    add_part(text, "Graph: ", question.graph);
    add_part(text, {}, std::string_view{question.goal}.substr(0, question.goal.find_last_not_of('\n') + 1));
    add_part(text, "The step that is done: ", question.node);
    add_part(text, "Its output:", output);
    add_part(text, "Candidates:", candidates);
    add_part(text, "Instructions: ", question.instructions);
    return text;
}

/** Holds the model to the names of the candidates. */
boost::json::object schema_of(const route_question& question)
{
    std::vector<std::string> names;
    for (const route_question::candidate& one : question.candidates) names.emplace_back(one.node);
    return agent_detail::object_schema(
        {{"target", agent_detail::one_of_schema(names)}, {"reasoning", agent_detail::text_schema()}});
}

chat_request request_of(const route_question& question, const std::string& model)
{
    chat_request request;
    request.system(role_text).user(text_of(question));
    request.model = question.model.empty() ? std::string_view{model} : question.model;
    request.temperature = 0;
    output_schema& output = request.output.emplace();
    output.name = "route";
    output.schema = schema_of(question);
    return request;
}

task<std::string> ask(std::shared_ptr<chat_model> model, chat_request request)
{
    chat_reply reply = co_await model->reply(std::move(request));
    co_return reply.message.text();
}

}  // namespace

model_route_decider::model_route_decider(std::shared_ptr<chat_model> model, std::string another)
    : model_{std::move(model)}, another_{std::move(another)}
{
    BOOST_ASSERT_MSG(model_, "without a model leave the decider out: the fallback edges are taken then");
}

task<std::string> model_route_decider::decide(const route_question& question)
{
    return ask(model_, request_of(question, another_));
}

}  // namespace weft
