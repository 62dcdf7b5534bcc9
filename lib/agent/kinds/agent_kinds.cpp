#include <weft/agent/agent_kinds.hpp>

#include "agent/node/kind_checks.hpp"
#include "agent/node/human_answer.hpp"
#include "agent/node/llm_stream.hpp"
#include "agent_graph_kinds.hpp"
#include "event_loop_kind.hpp"
#include "guarded_tool_kind.hpp"
#include "agent/remote/a2a_kind.hpp"
#include "agent/remote/http_kind.hpp"
#include "agent/remote/openai_agent_kind.hpp"
#include "mcp_kind.hpp"
#include "memory_kinds.hpp"
#include "pattern_kind.hpp"
#include "react_kind.hpp"
#include "retrieve_kind.hpp"
#include "supervisor_kind.hpp"
#include "team_kind.hpp"
#include "turn_agent_kind.hpp"
#include "wait_kind.hpp"

#include <weft/agent/conversation/continuous_conversation.hpp>
#include <weft/agent/conversation/conversation.hpp>
#include <weft/agent/conversation/handoff_summary.hpp>
#include <weft/base/error.hpp>
#include <weft/tool/call/messages_key.hpp>
#include <weft/tool/call/tool_kind.hpp>

#include <utility>

namespace weft {

namespace {

using agent_detail::check_has_writes;
using agent_detail::check_dry_run;
using agent_detail::check_template;
using agent_detail::llm_options_of;
using agent_detail::update_type;
using agent_detail::written_keys;

// The kind llm.

/** Says what is wrong with the conversation and with the tools. */
void check_conversation(node_request& request, const llm_settings& settings)
{
    const std::string& key = settings.messages;
    check_client_tools(request, request.settings_at(), settings.client_tools);
    if (key.empty()) {
        const std::string_view named = settings.tools.empty() ? "client_tools" : "tools";
        if (!settings.tools.empty() || !settings.client_tools.is_none())
            request.mistake(named, "a model calls tools in a conversation: name its key in messages");
        return;
    }
    if (request.layout().find(key) == state_layout::none) return request.require_readable("messages", key);
    if (const std::string fault = messages_key::fault_of(request.layout(), key); !fault.empty())
        request.mistake("messages", fault);
    agent_detail::require_written(request, "messages", key);
}

std::shared_ptr<const node_body> make_llm(node_request& request, const std::shared_ptr<chat_model>& model,
                                          const tool_set* tools)
{
    std::optional<llm_settings> settings = request.settings<llm_settings>();
    check_has_writes(request);
    if (!settings) return nullptr;
    check_template(request, "system", settings->system);
    check_template(request, "prompt", settings->prompt);
    agent_detail::tell_faults(request, settings->faults());
    check_conversation(request, *settings);
    const std::optional<tool_set> offered =
        agent_detail::tools_named(request, request.settings_at(), settings->tools, tools);
    llm_node_options options = llm_options_of(request, std::move(*settings));
    if (offered) options.tools = offered->specs();
    if (!model) check_dry_run(request, options);
    if (options.writes.empty()) return request.registry().nothing();  // the mistake is told where the keys stand
    try {
        return agent_detail::make_llm_body(llm_node{model, std::move(options)}, request.layout());
    } catch (const error&) {
        return nullptr;  // a template that is none: told above
    }
}

// The kind human.

class absent_human final : public human {
    task<boost::json::value> ask(human_question question) override { return refuse(std::move(question.node)); }

    static task<boost::json::value> refuse(std::string node)
    {
        throw error{errc::invalid_configuration, "node '" + node + "'",
                    "no person is there to be asked: give the agents' surroundings a `human`"};
        co_return boost::json::value{};
    }
};

/** Says options that the key does not take, and an approval for a key that takes no yes. */
void check_fit(node_request& request, const human_settings& settings, const std::string& key)
{
    const value_type& type = update_type(request, key);
    if (!type.from_json) return;
    human_question question;
    question.form = settings.effective_form();
    question.options = settings.options;
    question.expected = agent_detail::words_for(type);
    const auto fault = [&](const boost::json::value& answer) {
        return agent_detail::read_answer(answer, question, type).fault;
    };
    const std::string end = ", which the key '" + key + "' takes";
    if (question.form == question_form::approval && !fault(true).empty())
        request.mistake("form", "an approval is true or false, and not " + question.expected + end);
    if (question.form != question_form::choice) return;
    for (const std::string& option : settings.options)
        if (!fault(boost::json::string_view{option}).empty())
            request.mistake("options", "'" + option + "' is not " + question.expected + end);
}

std::shared_ptr<const node_body> make_human(node_request& request, const std::shared_ptr<human>& whom)
{
    const std::optional<human_settings> settings = request.settings<human_settings>();
    const bool has_one_key = request.spec().writes && request.spec().writes->size() == 1;
    if (!has_one_key)
        request.mistake("", "the answer of a person goes to one key: name it, and no other, in \"writes\"");
    request.options().faces_client = true;
    if (!settings) return nullptr;
    check_template(request, "question", settings->question);
    if (settings->question.empty()) request.mistake("question", "is empty: write one");
    const std::string fault = fault_of(*settings);
    if (!fault.empty()) request.mistake("options", fault);
    const std::vector<std::string> keys = written_keys(request);
    if (!has_one_key || keys.empty()) return request.registry().nothing();
    if (fault.empty()) check_fit(request, *settings, keys.front());
    try {
        return make_node_body(human_node{whom, *settings, keys.front()});
    } catch (const error&) {
        return nullptr;  // told above
    }
}

}  // namespace

node_kind llm_kind(std::shared_ptr<chat_model> model, std::shared_ptr<const tool_set> tools)
{
    return {[model = std::move(model), tools = std::move(tools)](node_request& request) {
                return make_llm(request, model, tools.get());
            },
            false, true};
}

node_kind human_kind(human& whom)
{
    return human_kind(std::shared_ptr<human>{std::shared_ptr<void>{}, &whom});  // borrowed
}

node_kind human_kind(std::shared_ptr<human> whom)
{
    return {[whom = std::move(whom)](node_request& request) { return make_human(request, whom); }, true};
}

node_registry& add_agent_kinds(node_registry& registry, const agent_surroundings& around)
{
    std::shared_ptr<human> otherwise;
    if (!around.asks_by_interrupt) otherwise = std::make_shared<absent_human>();
    node_kind human = around.human ? human_kind(*around.human) : human_kind(std::move(otherwise));
    add_tool_kinds(registry, around.tools, around.tool_options)
        .add_kind("tool", guarded_tool_kind(around.tools, around.tool_options, around.model));
    add_agent_graph_kinds(registry, {.model = around.model,
                                     .tools = around.tools,
                                     .tool_options = around.tool_options,
                                     .live = around.live});
    registry.add_kind("pattern", pattern_kind(around.model));
    add_memory_kinds(registry);
    registry.add_kind("retrieve", retrieve_kind(around.documents))
        .add_kind("http", http_kind(around.http))
        .add_kind("a2a", a2a_kind(around.http))
        .add_kind("openai_agent", openai_agent_kind(around.http))
        .add_kind("mcp", mcp_kind(around.tools, around.tool_options))
        .add_kind("wait", wait_kind());
    turn_agent_options turns = around.turns;
    if (around.tools) turns.tools = *around.tools;
    turns.calls = around.tool_options;
    turns.calls.concurrency_max = turn_tool_options().concurrency_max;
    turns.calls.result_chars_max = turn_tool_options().result_chars_max;
    turns.live = around.live;
    registry.add_type<list<handoff_summary>>("hand_offs");
    registry.conversation(continuous_conversation());
    event_loop_options loops = around.loops;
    loops.tools = around.tools;
    loops.tool_options = around.tool_options;
    loops.live = around.live;
    // Who asks by interrupt can be answered in any process; whom the program has is asked at once.
    if (around.human) loops.whom = std::shared_ptr<weft::human>{std::shared_ptr<void>{}, around.human};
    else if (!around.asks_by_interrupt && !loops.whom) loops.whom = std::make_shared<absent_human>();
    const agent_program looping{
        .model = around.model, .tools = around.tools, .tool_options = around.tool_options, .hooks = around.hooks};
    registry.add_kind("react", react_kind(looping))
        .add_kind("team", team_kind(looping))
        .add_kind("supervisor", supervisor_kind(looping));
    return registry.add_kind("llm", llm_kind(around.model, around.tools))
        .add_kind("human", std::move(human))
        .add_kind("turn_agent", turn_agent_kind(around.model, std::move(turns), around.knows_prices))
        .add_kind("event_loop", event_loop_kind(around.model, std::move(loops)));
}

}  // namespace weft
