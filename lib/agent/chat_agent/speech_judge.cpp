#include <weft/agent/chat_agent/speech_judge.hpp>

#include "agent/node/model_choice.hpp"

#include <weft/base/error.hpp>

#include <utility>

namespace weft {

namespace {

constexpr const char* speech_role =
    "You listen to a person who speaks to an assistant. The person has just paused. Say whether the words so far are a "
    "complete thought that the assistant can answer now (yes), or whether the person will go on speaking (no).";

task<bool> ask_about_speech(std::shared_ptr<chat_model> model, std::string model_name, std::string text)
{
    chat_request request;
    request.system(std::string{speech_role} + "\n\n" + agent_detail::choice_instructions(agent_detail::yes_and_no()));
    request.user(std::move(text));
    request.model = std::move(model_name);
    request.temperature = 0;
    request.output = agent_detail::choice_schema(agent_detail::yes_and_no());
    const chat_reply reply = co_await model->reply(std::move(request));
    const std::optional<bool> answer = agent_detail::yes_or_no_in(reply.message.text());
    if (!answer)
        throw error{errc::unexpected_json, "speech judge",
                    "the model answers neither yes nor no: " + reply.message.text().substr(0, 200)};
    co_return *answer;
}

}  // namespace

speech_judge speech_judge_of(std::shared_ptr<chat_model> model, std::string model_name)
{
    if (!model) throw error{errc::invalid_configuration, "speech_judge_of", "it has no model: give it one"};
    return [model = std::move(model), model_name = std::move(model_name)](std::string text) {
        return ask_about_speech(model, model_name, std::move(text));
    };
}

}  // namespace weft
