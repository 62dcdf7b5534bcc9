#include "react_loop.hpp"

#include "agent/prompt/answer_shape.hpp"
#include "agent/text/names.hpp"

#include <weft/agent/guard/guard_tools.hpp>
#include <weft/agent/llm_node.hpp>
#include <weft/base/error.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/tool/call/messages_key.hpp>
#include <weft/tool/tool_node.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace weft::agent_detail {

namespace {

constexpr std::string_view turns_are_over =
    "These were all the tool calls there are. Answer now, from what you know.";
constexpr std::string_view form_is_wanted = "Now give the final answer in the form that is asked for.";

/** A turn's call of the model, counted. */
class react_think {
public:
    explicit react_think(llm_node asking) : asking_{std::move(asking)} {}
    task<void> operator()(node_context& node) const { return work(asking_, node); }

private:
    static task<void> work(llm_node asking, node_context& node)
    {
        co_await asking(node);
        node.set(react_turns, 1);
    }
    llm_node asking_;
};

/** Why the attempt before failed, for the model; empty on a first attempt. */
std::string fault_before(const node_context& node)
{
    const failure* const before = node.attempt() > 1 ? node.previous_failure() : nullptr;
    return before ? "\nYour last answer could not be used: " + before->message : std::string{};
}

/** The final answer, without tools. */
class react_last_word {
public:
    react_last_word(llm_node asking, const react_settings& settings)
        : asking_{std::move(asking)}, messages_{settings.messages}, turns_max_{settings.turns_max}
    {
    }
    task<void> operator()(node_context& node) const { return work(this, node); }

private:
    static task<void> work(const react_last_word* self, node_context& node)
    {
        const bool is_over = node.value_or(react_turns, 0) >= self->turns_max_;
        // Said by the user: not all providers take a system message behind the first one.
        std::string words{is_over ? turns_are_over : form_is_wanted};
        messages_key{node, self->messages_}.add({message::user(words + fault_before(node))});
        co_await self->asking_(node);
        const list<message> said = messages_key{node, self->messages_}.read();
        if (!said.back().tool_calls.empty())
            throw error{errc::invalid_model_reply, "node '" + std::string{node.node()} + "'",
                        "the model calls tools where it was to answer"};
    }
    llm_node asking_;
    std::string messages_;
    std::int64_t turns_max_;
};

/** What a node that asks the agent's model has in common with the others. */
llm_node_options asking_options(const react_options& options, const tool_set& tools)
{
    const react_settings& from = options.settings;
    llm_node_options to;
    to.settings.system = from.system;
    to.settings.prompt = from.prompt;
    to.settings.set_sampling(from);
    to.settings.scripted = from.scripted;
    to.settings.guards = from.guards.of_model();
    to.settings.messages = from.messages;
    to.settings.client_tools = from.client_tools;
    to.tells_purpose = true;
    to.writes = {from.messages};
    to.nullable = options.nullable;
    to.descriptions = options.descriptions;
    to.tools = tools.specs();
    to.reads.emplace();
    for (const any_state_key& key : options.keys)
        if (key.name != from.messages && !contains(options.writes, key.name) &&
            key.type->value != &value_type_of<client_tools>)
            to.reads->emplace_back(key.name);
    return to;
}

void add_answers(llm_node_options& to, const react_options& options)
{
    to.writes.insert(to.writes.end(), options.writes.begin(), options.writes.end());
}

tool_node make_act(const react_options& options, const tool_set& tools, const std::string& remote,
                   const std::shared_ptr<chat_model>& model)
{
    tool_settings settings;
    settings.messages = options.settings.messages;
    settings.remote = remote;
    settings.client_tools = options.settings.client_tools;
    settings.calls_max = options.settings.calls_max;
    settings.concurrency_max = options.settings.concurrency_max;
    settings.result_chars_max = options.settings.result_chars_max;
    return tool_node{tools, std::move(settings), tool_options_of(options, model)};
}

/** Whether the newest message of a conversation calls tools. */
class calls_tools {
public:
    explicit calls_tools(std::string messages) : messages_{std::move(messages)} {}
    bool operator()(const state_view& view) const
    {
        const std::uint32_t slot = view.layout().find(messages_);
        const value_box* const box = view.at(slot);
        if (!box) return false;
        if (view.layout()[slot].type->value == &value_type_of<list<message>>) {
            const list<message>& said = unboxed<list<message>>(*box);
            return !said.empty() && !said.back().tool_calls.empty();
        }
        const boost::json::array& said = unboxed<boost::json::array>(*box);
        if (said.empty() || !said.back().is_object()) return false;
        const boost::json::value* const calls = said.back().as_object().if_contains("tool_calls");
        return calls && calls->is_array() && !calls->as_array().empty();
    }

private:
    std::string messages_;
};

[[noreturn]] void give_up(const node_context& node)
{
    throw error{errc::limit_reached, "agent",
                "its model still calls tools after " + std::to_string(node.value_or(react_turns, 0)) +
                    " turns: raise turns_max, or let it answer at the limit"};
}

bool hands_over(const tool_set& tools)
{
    const auto& all = tools.entries();
    return std::any_of(all.begin(), all.end(), [](const tool_entry& one) { return one.traits.hands_over; });
}

/** Where an agent goes whose turns are used up. */
std::string_view node_at_limit(react_limit limit)
{
    switch (limit) {
    case react_limit::answer: return "answer";
    case react_limit::fail: return "give_up";
    case react_limit::stop: break;
    }
    return weft::end;
}

}  // namespace

bool is_default_key(std::string_view key) { return key == react_messages.name() || key == react_answer.name(); }

std::vector<key_mapping> same_names(const std::vector<any_state_key>& keys)
{
    std::vector<key_mapping> shared;
    for (const any_state_key& key : keys) shared.push_back({std::string{key.name}, std::string{key.name}});
    return shared;
}

std::vector<key_mapping> same_names(const std::vector<std::string>& keys)
{
    std::vector<key_mapping> shared;
    for (const std::string& key : keys) shared.push_back({key, key});
    return shared;
}

bool has_text_answer(const react_options& options)
{
    state_layout layout;
    for (const any_state_key& key : options.keys) layout.add(key);
    std::vector<answer_key> keys;
    for (const std::string& name : options.writes) keys.push_back({name});
    return answer_shape{keys, layout, options.name}.is_text();
}

void add_next_turn(graph_builder& to, const std::string& from, const react_options& options)
{
    const auto is_over = [turns_max = options.settings.turns_max](const state_view& view) {
        return view.value_or(react_turns, 0) >= turns_max;
    };
    to.edge_when(from, node_at_limit(options.settings.at_limit), is_over, {.label = "no turns left"});
    to.edge(from, "think");
}

void add_react_loop(graph_builder& to, const std::shared_ptr<chat_model>& model, const react_options& options,
                    const tool_set& tools, const std::string& remote)
{
    const bool has_text = has_text_answer(options);
    const bool has_tools = !tools.empty() || !options.settings.client_tools.is_none();
    node_options tries;
    tries.retry = options.retry;
    if (options.settings.attempts_max) tries.retry.attempts_max = static_cast<int>(*options.settings.attempts_max);
    llm_node_options thinking = asking_options(options, tools);
    if (has_text) add_answers(thinking, options);
    to.node("think", react_think{llm_node{model, std::move(thinking)}}, tries);
    to.edge(weft::start, "think");
    if (has_tools) {
        node_options acts;
        if (!remote.empty()) acts.goes_to.push_back(remote);
        if (hands_over(tools)) acts.goes_to.push_back("hand_over");
        to.node("act", make_act(options, tools, remote, model), std::move(acts));
        to.edge_when("think", "act", calls_tools{options.settings.messages}, {.label = "calls tools"});
        add_next_turn(to, "act", options);
        if (hands_over(tools)) to.node("hand_over", [] {}).edge("hand_over", weft::end);
    }
    to.edge("think", has_text ? weft::end : std::string_view{"answer"});
    // Without tools the first reply is the answer, so that the limit is never reached.
    if (!has_text || (has_tools && options.settings.at_limit == react_limit::answer)) {
        llm_node_options last = asking_options(options, tools);
        last.tool_choice.how = tool_choice::mode::none;
        // The last line of the script is the answer: the lines before it belong to the turns.
        if (!last.settings.scripted.empty()) last.settings.scripted = {last.settings.scripted.back()};
        add_answers(last, options);
        to.node("answer", react_last_word{llm_node{model, std::move(last)}, options.settings}, tries);
        to.edge("answer", weft::end);
    }
    if (has_tools && options.settings.at_limit == react_limit::fail) to.node("give_up", give_up);
}

void check_react(const react_options& options)
{
    const std::string where = "agent '" + options.name + "'";
    if (const std::vector<std::string> faults = options.settings.faults(); !faults.empty())
        throw error{errc::invalid_configuration, where, faults.front()};
    if (options.writes.empty())
        throw error{errc::invalid_configuration, where, "it writes no keys: name those that its answer is for"};
    const auto is_declared = [&](const std::string& name) {
        return std::any_of(options.keys.begin(), options.keys.end(),
                           [&](const any_state_key& key) { return key.name == name; });
    };
    std::vector<std::string> needed = options.writes;
    needed.push_back(options.settings.messages);
    for (const std::string& name : needed)
        if (!is_declared(name))
            throw error{errc::invalid_configuration, where, "'" + name + "' is none of its keys: add it there"};
    state_layout keys;
    for (const any_state_key& key : options.keys) keys.add(key);
    if (const std::string fault = fault_of(options.settings.client_tools, keys); !fault.empty())
        throw error{errc::invalid_configuration, where, "client_tools: " + fault};
}

tool_runner_options tool_options_of(const react_options& options, const std::shared_ptr<chat_model>& model)
{
    return options.hooks.around(guard_tools(options.tool_options, options.settings.guards.of_tools(), model));
}

std::uint32_t steps_of(const react_options& options, std::uint32_t steps)
{
    return static_cast<std::uint32_t>(options.settings.turns_max) * steps + 4;
}

}  // namespace weft::agent_detail
