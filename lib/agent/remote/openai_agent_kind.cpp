#include "openai_agent_kind.hpp"

#include "agent/node/kind_checks.hpp"
#include "agent/text/key_text.hpp"
#include "http_kind.hpp"
#include "openai_visit.hpp"
#include "remote_agent.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/spec/spec_reading.hpp>
#include <weft/tool/call/messages_key.hpp>

#include <utility>

namespace weft {

namespace {

using agent_detail::openai_agent;
using agent_detail::openai_answer;
using agent_detail::openai_plan;
using agent_detail::openai_visit;
using openai_plan_pointer = std::shared_ptr<const openai_plan>;

// What is said.

std::string message_to_agent(const openai_plan& plan, const node_context& node)
{
    if (plan.message) return plan.message->fill(node).text;
    return to_json_text(agent_detail::object_of_reads(node, plan.reads, plan.keys));
}

void put_instructions(const openai_plan& plan, const node_context& node, chat_request& into)
{
    if (plan.instructions) into.system(plan.instructions->fill(node).text);
}

/** The first request of a visit. @param said   Gets what joins the conversation of chat completions. */
chat_request first_request(const openai_plan& plan, node_context& node, std::vector<message>& said)
{
    chat_request request;
    put_instructions(plan, node, request);
    const std::string& key = plan.agent->settings.conversation;
    if (!key.empty() && plan.agent->is_chat()) {
        for (const message& before : messages_key{node, key}.read()) request.add(before);
    } else if (!key.empty()) {
        const std::string previous = agent_detail::read_key(node, key).text;
        if (!previous.empty()) request.extra_body["previous_response_id"] = previous;
    }
    said.push_back(message::user(message_to_agent(plan, node)));
    request.add(said.back());
    return request;
}

/** The next request of a visit: behind the response in Responses, else all that was said. */
chat_request next_request(const openai_plan& plan, const node_context& node, chat_request before,
                          const openai_answer& answer, const std::vector<message>& outputs)
{
    if (plan.agent->is_chat()) {
        before.add(answer.said);
        for (const message& output : outputs) before.add(output);
        return before;
    }
    chat_request request;
    put_instructions(plan, node, request);
    request.extra_body["previous_response_id"] = answer.id;
    for (const message& output : outputs) request.add(output);
    return request;
}

/** Asks people what the agent asks. @return  The outputs of its calls. */
task<std::vector<message>> outputs_of_people(node_context& node, std::vector<tool_call> calls)
{
    std::vector<message> outputs;
    for (const tool_call& call : calls) {
        question asked;
        try {
            asked = agent_detail::question_of_call(call);
        } catch (const error& e) {
            throw error{e.code(), "node '" + std::string{node.node()} + "'", e.detail()};
        }
        const question kept = asked;
        const boost::json::value answer = co_await node.interrupt(std::move(asked));
        outputs.push_back(message::tool_result(call.id, agent_detail::output_of_answer(kept, answer)));
    }
    co_return outputs;
}

// What is written.

/** A text goes to one key; for several it is JSON. */
boost::json::value output_of_agent(const agent_detail::answer_target& keys, const std::string& text)
{
    if (keys.into.empty() && keys.writes.size() != 1) {
        try {
            return parse_json(text);
        } catch (const error&) {
            // The writing says what is expected of an answer.
        }
    }
    return boost::json::value(boost::json::string_view{text});
}

void keep_conversation(const openai_plan& plan, node_context& node, const openai_answer& answer,
                       std::vector<message> said)
{
    const std::string& key = plan.agent->settings.conversation;
    if (key.empty()) return;
    if (plan.agent->is_chat()) return messages_key{node, key}.add(std::move(said));
    const agent_detail::answer_target kept{key, {}};
    agent_detail::write_answer(node, kept, boost::json::value(boost::json::string_view{answer.id}), "the agent");
}

task<void> work_with_openai_agent(openai_plan_pointer plan, node_context& node)
{
    openai_visit visit{plan, node};
    std::vector<message> said;
    chat_request request = first_request(*plan, node, said);
    openai_answer answer;
    for (int round = 0;; ++round) {
        openai_answer now = co_await visit.ask(request);
        answer = std::move(now);
        said.push_back(answer.said);
        if (answer.said.tool_calls.empty()) break;
        agent_detail::require_round(round, node.node());
        const std::vector<message> outputs = co_await outputs_of_people(node, answer.said.tool_calls);
        said.insert(said.end(), outputs.begin(), outputs.end());
        request = next_request(*plan, node, std::move(request), answer, outputs);
    }
    agent_detail::write_answer(node, plan->keys, output_of_agent(plan->keys, answer.said.text()), "the agent");
    keep_conversation(*plan, node, answer, std::move(said));
}

// Reading files.

void check_openai_headers(node_request& request, const openai_agent_settings& settings)
{
    agent_detail::check_headers(request, settings.headers);
    for (const auto& [name, value] : settings.headers)
        if (value.find("${") != value.npos)
            request.mistake("headers", "'" + name + "' holds a variable of the environment: name the variable of the "
                                       "key in key, and its header in key_header");
}

void check_openai_conversation(node_request& request, const openai_agent_settings& settings)
{
    const std::string& key = settings.conversation;
    agent_detail::check_conversation_key(request, "conversation", key);
    if (key.empty() || settings.api != "chat" || request.layout().find(key) == state_layout::none) return;
    if (const std::string fault = messages_key::fault_of(request.layout(), key); !fault.empty())
        request.mistake("conversation", fault);
}

openai_plan plan_of(openai_agent_settings settings, agent_detail::answer_target keys,
                    std::shared_ptr<const agent_detail::http_program> program)
{
    openai_plan plan;
    plan.keys = agent_detail::keys_for_answer(std::move(keys), settings.conversation);
    if (!settings.instructions.empty()) plan.instructions.emplace(settings.instructions);
    if (!settings.message.empty()) plan.message.emplace(settings.message);
    plan.agent = std::make_shared<const openai_agent>(std::move(settings), std::move(program));
    return plan;
}

std::shared_ptr<const node_body> make_openai_agent(node_request& request,
                                                   const std::shared_ptr<const agent_detail::http_program>& program)
{
    std::optional<openai_agent_settings> settings = request.settings<openai_agent_settings>();
    if (!settings) return nullptr;
    const std::size_t before = request.mistakes().count();
    agent_detail::check_agent_url(request, "url", settings->url);
    if (settings->model.empty()) request.mistake("model", "is empty: name the agent as its server calls it");
    if (settings->api != "responses" && settings->api != "chat")
        request.mistake("api", "is '" + settings->api + "': it is responses or chat");
    if (settings->background && settings->api == "chat")
        request.mistake("background", "chat completions know no background: leave it out, or choose responses as api");
    if (!settings->message.empty()) (void)agent_detail::check_template(request, "message", settings->message);
    if (!settings->instructions.empty())
        (void)agent_detail::check_template(request, "instructions", settings->instructions);
    check_openai_headers(request, *settings);
    agent_detail::check_agent_limits(request, settings->timeout, settings->reply_bytes_max);
    agent_detail::answer_target keys = agent_detail::answer_target_of(request, settings->into);
    check_openai_conversation(request, *settings);
    if (request.mistakes().count() != before) return nullptr;
    return agent_detail::made_or_mistake(request, "url", [&] {
        openai_plan plan = plan_of(std::move(*settings), std::move(keys), program);
        plan.reads = request.spec().reads;
        plan.retry = request.options().retry;
        return make_node_body(openai_agent_node{std::make_shared<const openai_plan>(std::move(plan))});
    });
}

}  // namespace

openai_agent_node::openai_agent_node(openai_agent_settings settings, std::vector<std::string> writes,
                                     http_node_options program)
{
    agent_detail::answer_target keys{settings.into, std::move(writes)};
    auto shared = std::make_shared<const agent_detail::http_program>(std::move(program));
    plan_ = std::make_shared<const openai_plan>(plan_of(std::move(settings), std::move(keys), std::move(shared)));
}

task<void> openai_agent_node::operator()(node_context& node) const { return work_with_openai_agent(plan_, node); }

bool openai_agent_node::describe(node_spec& into, const state_layout&) const
{
    into.kind = "openai_agent";
    into.settings = spec_detail::write_structure(plan_->agent->settings);
    return true;
}

std::vector<std::string> openai_agent_node::written_keys(const state_layout&) const
{
    std::vector<std::string> keys = plan_->keys.writes;
    if (const std::string& key = plan_->agent->settings.conversation; !key.empty()) keys.push_back(key);
    return keys;
}

node_kind openai_agent_kind(http_node_options program)
{
    auto shared = std::make_shared<const agent_detail::http_program>(std::move(program));
    return {[shared = std::move(shared)](node_request& request) { return make_openai_agent(request, shared); }};
}

}  // namespace weft
