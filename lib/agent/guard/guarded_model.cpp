#include <weft/agent/guard/guarded_model.hpp>

#include "agent/conversation/new_input.hpp"
#include "guarded_reply.hpp"

#include <boost/assert.hpp>

#include <utility>

namespace weft {

namespace {

class source_of_model final : public agent_detail::reply_source {
public:
    explicit source_of_model(chat_model& model) noexcept : model_{model} {}
    task<chat_reply> ask(chat_request request, chat_sink& sink) override
    {
        return model_.reply(std::move(request), sink);
    }

private:
    chat_model& model_;
};

task<chat_reply> ask_with_guards(std::shared_ptr<chat_model> model, std::shared_ptr<const guardrails> guards,
                                 chat_request request, chat_sink& sink)
{
    source_of_model source{*model};
    const agent_detail::guard_place place{std::string{model->label()}, nullptr};
    std::optional<std::string> input = agent_detail::new_input(request.messages);
    agent_detail::guarded_request asked{std::move(request), std::move(input)};
    chat_reply reply = co_await agent_detail::guarded_reply(source, std::move(asked), *guards, place, sink);
    co_return reply;
}

}  // namespace

guarded_model::guarded_model(std::shared_ptr<chat_model> model, guardrails guards) : model_{std::move(model)}
{
    BOOST_ASSERT_MSG(model_, "a guarded model needs a model to call");
    if (std::string fault = guards.fault(); !fault.empty())
        throw error{errc::invalid_configuration, "guarded_model", std::move(fault)};
    guards_ = std::make_shared<const guardrails>(std::move(guards));
}

task<chat_reply> guarded_model::do_reply(chat_request request, chat_sink& sink)
{
    return ask_with_guards(model_, guards_, std::move(request), sink);
}

}  // namespace weft
