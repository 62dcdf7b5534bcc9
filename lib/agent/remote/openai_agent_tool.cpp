#include "openai_exchange.hpp"
#include "remote_agent.hpp"

#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json/json_peek.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/model/chat_request.hpp>

#include <boost/json/object.hpp>

#include <utility>

namespace weft {

namespace {

using agent_detail::openai_agent;
using agent_detail::openai_answer;
using agent_detail::openai_exchange;
using boost::json::object;

/** Tells what an agent says; its pieces are no words of the model that calls it. */
class progress_sink final : public chat_sink {
public:
    explicit progress_sink(const tool_context& around) : around_{around} {}
    void on_text(std::string_view piece) override { around_.emit(piece); }

private:
    const tool_context& around_;
};

chat_request request_of_call(const openai_agent& agent, const tool_invocation& invocation, std::string key)
{
    const tool_context& around = invocation.context;
    chat_request request;
    request.call_id = std::move(key);
    if (around.node) {
        request.budget = around.node->budget();
        request.trace = around.node->trace();
    }
    request.trace = trace_context::of_run_or_call(std::move(request.trace), request.call_id);
    if (!agent.settings.instructions.empty()) request.system(agent.settings.instructions);
    const std::string said{peek_text(invocation.arguments, "message")};
    const std::string call{peek_text(invocation.arguments, "call")};
    request.add(call.empty() ? message::user(said) : message::tool_result(call, said));
    const std::string_view previous = peek_text(invocation.arguments, "response");
    if (!previous.empty() && !agent.is_chat()) request.extra_body["previous_response_id"] = previous;
    return request;
}

/** What the model reads: a text, and in Responses the id by which it goes on. */
tool_result result_of_answer(const openai_agent& agent, const openai_answer& answer)
{
    if (agent.is_chat() && answer.said.tool_calls.empty()) return tool_result::text(answer.said.text());
    object result;
    if (!agent.is_chat()) result["response"] = answer.id;
    if (answer.said.tool_calls.empty()) {
        result["answer"] = answer.said.text();
        return tool_result::json(std::move(result));
    }
    const tool_call& call = answer.said.tool_calls.front();
    const question asked = agent_detail::question_of_call(call);
    result["asks"] = asked.text;
    result["call"] = call.id;
    result["answer_schema"] = asked.answer_schema();
    return tool_result::json(std::move(result));
}

class remote_openai_agent final : public agent_detail::remote_agent_tool {
public:
    explicit remote_openai_agent(openai_agent_tool_options options)
        : remote_agent_tool{"openai_agent_tool", std::move(options.name), std::move(options.description),
                            parameters_of(options.agent)},
          agent_{std::make_shared<const openai_agent>(
              std::move(options.agent), std::make_shared<const agent_detail::http_program>(std::move(options.program)))}
    {
        if (agent_->settings.background)
            throw error{errc::invalid_configuration, "openai_agent_tool", "background: a tool waits for its answer"};
    }

    [[nodiscard]] task<tool_result> call(tool_invocation invocation) override
    {
        return ask(agent_, std::move(invocation));
    }

private:
    static std::vector<parameter> parameters_of(const openai_agent_settings& agent)
    {
        if (agent.api == "chat") return {};
        return {{"response", "The response to go on behind; leave it out for a new conversation."},
                {"call", "The call that has asked, when the message answers it."}};
    }
    static task<tool_result> ask(std::shared_ptr<const openai_agent> agent, tool_invocation invocation)
    {
        openai_exchange exchange{agent, place_of(invocation)};
        const std::shared_ptr<chat_model> model = exchange.model(false);  // the runner counts the call
        progress_sink told{invocation.context};
        std::optional<error> failed;
        try {
            task<chat_reply> asking = model->reply(request_of_call(*agent, invocation, key_of(invocation)), told);
            chat_reply reply = co_await with_deadline(std::move(asking), agent->limit());
            const openai_answer answer = agent_detail::answer_of_reply(std::move(reply));
            co_return result_of_answer(*agent, answer);
        } catch (const error& e) {
            if (e.code() == errc::cancelled) throw;
            failed = exchange.told(e);
        }
        throw error{*failed};
    }

    std::shared_ptr<const openai_agent> agent_;
};

}  // namespace

std::shared_ptr<tool> openai_agent_tool(openai_agent_tool_options options)
{
    return std::make_shared<remote_openai_agent>(std::move(options));
}

}  // namespace weft
