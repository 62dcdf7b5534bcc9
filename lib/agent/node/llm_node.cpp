#include <weft/agent/llm_node.hpp>

#include "agent/conversation/new_input.hpp"
#include "agent/conversation/shared_conversation.hpp"
#include "agent/core/model_call.hpp"
#include "agent/core/node_warnings.hpp"
#include "agent/guard/guard_checks.hpp"
#include "agent/prompt/answer_shape.hpp"
#include "agent/text/key_text.hpp"
#include "agent/text/names.hpp"
#include "llm_prompt.hpp"
#include "turn_calls.hpp"

#include <weft/agent/conversation/conversation_view.hpp>
#include <weft/base/error.hpp>
#include <weft/base/text/ascii_text.hpp>
#include <weft/graph/graph_spec.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/spec/spec_reading.hpp>
#include <weft/model/decorator/budgeted_model.hpp>
#include <weft/tool/call/client_call.hpp>
#include <weft/tool/call/messages_key.hpp>

#include <optional>
#include <utility>

namespace weft {

using agent_detail::answer_shape;
using agent_detail::llm_prompt;
using agent_detail::model_call;
using agent_detail::model_call_options;

struct llm_node::impl {
    /** One attempt of a node that asks once. */
    static task<void> work(std::shared_ptr<const impl> self, node_context& node, chat_sink* listener);
    /** One attempt of a node that carries a conversation on. */
    static task<void> converse(std::shared_ptr<const impl> self, node_context& node);
    /** How the model is asked where `plain_call` does not fit; null where it does, as in most runs. Node and listener
     *  outlive it. */
    struct own_call;
    [[nodiscard]] std::unique_ptr<own_call> own_call_in(node_context& node, chat_sink* listener) const;
    /** Asks the model while the guardrails look. All but the request outlives it. */
    [[nodiscard]] model_call ask(chat_request&& request, node_context& node, own_call* own) const;
    [[nodiscard]] answer_shape shape_in(const node_context& node) const { return {keys, node.layout(), node.node()}; }
    // What the attempts do before and after the model answers is not part of the coroutines, whose frames stay small.
    [[nodiscard]] llm_prompt prompt_in(node_context& node, const answer_shape& shape) const;
    /** @param question   Gets what is said in the conversation of the graph, if it has one. */
    [[nodiscard]] model_call ask_plainly(node_context& node, own_call* own, std::string& question) const;
    /** @param news   Gets what begins the conversation. */
    [[nodiscard]] model_call ask_in_conversation(node_context& node, own_call* own, std::vector<message>& news) const;
    void add_client_tools_to(chat_request& request, const node_context& node) const;
    void dry_run_plainly(node_context& node, const answer_shape& shape, chat_sink* listener) const;
    void dry_run_in_conversation(node_context& node, const answer_shape& shape) const;
    /** What the system says, and what was said so far. If nothing was, the question is said now: it is news then. */
    [[nodiscard]] list<message> messages_in_conversation(node_context& node, const answer_shape& shape,
                                                         std::vector<message>& news) const;
    void keep_answer(const std::string& answer, node_context& node, const answer_shape& shape) const;
    void keep_reply(chat_reply& reply, node_context& node, std::vector<message> news) const;
    /** Where errors of an answer point to. */
    [[nodiscard]] const std::string& first_key() const
    {
        return keys.empty() ? options.settings.messages : keys.front().name;
    }

    std::shared_ptr<chat_model> model;         ///< Which the run's budget pays for.
    std::shared_ptr<chat_model> unpaid_model;  ///< Without a look at the budget, for runs that have none.
    llm_node_options options;
    agent_detail::llm_templates templates;
    std::vector<agent_detail::answer_key> keys;
    /** What the system says in every run, for all requests to share; nothing if that depends on the run. */
    std::optional<list<message>> fixed_system;
    list<tool_spec> specs;          ///< Of the options' tools.
    model_call_options plain_call;  ///< Shared by all calls without listener, guardrails and record.
};

struct llm_node::impl::own_call {
    answer_shape shape;
    model_call_options how;
};

/** What the client of the run has sent beside what it says. */
void llm_node::impl::add_client_tools_to(chat_request& request, const node_context& node) const
{
    const client_tools given = client_tools_for(node, options.settings.client_tools, options.tools);
    for (const tool_spec& one : given.tools) request.tools.push_back(one);
    if (options.settings.client_tools.is_none()) return;
    request.parallel_tool_calls = given.in_parallel;
    // What the node wants counts first. What must be called is called once: else the model could never answer.
    const bool is_first = node.visit() == 1;
    const bool is_free = options.tool_choice.how == tool_choice::mode::automatic;
    if (is_free && (is_first || given.choice.how == tool_choice::mode::none)) request.tool_choice = given.choice;
}

namespace {

chat_request request_of(const llm_settings& settings, const answer_shape& shape, list<message> messages)
{
    chat_request request{std::move(messages)};
    settings.sampling().apply_to(request);
    if (shape.is_text()) return request;
    request.output = shape.schema();
    return request;
}

/** Says the question, which is news. */
void begin_conversation(std::string question, list<message>& said, std::vector<message>& news)
{
    news.push_back(message::user(std::move(question)));
    said.push_back(news.front());
}

/** The text of a reply that can be used. */
std::string text_of_reply(const chat_reply& reply, node_context& node, const std::string& key)
{
    const auto refuse = [&](std::string detail) {
        throw error{errc::invalid_model_reply, agent_detail::place_of(node, key), std::move(detail)};
    };
    std::string text = reply.message.text();
    const std::string refusal = reply.message.refusal();
    if (text.empty() && !refusal.empty()) refuse("the model refuses: " + agent_detail::shortened(refusal, 500));
    if (is_blank(text))
        refuse("the reply has no text; it stopped with '" + std::string{name_of(reply.stop)} + "'");
    return text;
}

/** A scripted reply, in which tools may be called. */
message scripted_message(const std::string& text, const llm_node_options& options, const node_context& node,
                         std::size_t said_count)
{
    message said = message::assistant(text);
    const client_tools given = client_tools_for(node, options.settings.client_tools, options.tools);
    if (options.settings.scripted.empty() || (options.tools.empty() && given.tools.empty()) ||
        options.tool_choice.how == tool_choice::mode::none || given.choice.how == tool_choice::mode::none)
        return said;
    tool_set names;
    add_client_tools(names, given);
    for (const tool_spec& one : options.tools)
        names.add_remote(one.name, one.description, boost::json::object{{"type", "object"}});
    std::optional<message> calling = with_proper_calls(said, names, "scripted" + std::to_string(said_count) + "_");
    return calling ? std::move(*calling) : said;
}

/** Adds prompt and answer to the conversation of the graph, if it has one. */
void join_conversation(node_context& node, std::string question, const std::string& answer)
{
    if (!agent_detail::has_shared_conversation(node)) return;
    agent_detail::shared_conversation history{node};
    history.say(message::user(std::move(question)), message_author::program);
    history.say(message::assistant(answer), message_author::model);
}

/** Emits a text as a model would: a word at a time, with the blanks before it.
 *  @param listener   Hears it too; may be null. */
void emit_by_word(node_context& node, std::string_view text, chat_sink* listener = nullptr)
{
    while (!text.empty()) {
        const std::string_view word = leading_word(text);
        node.emit(word);
        if (listener) listener->on_text(word);
        text.remove_prefix(word.size());
    }
}

}  // namespace

void llm_settings::set_sampling(const sampling_settings& from)
{
    model = from.model;
    temperature = from.temperature;
    output_max = from.output_max;
}

std::vector<std::string> llm_settings::faults() const
{
    std::vector<std::string> faults = sampling().faults();
    for (const std::string& fault : guards.faults()) faults.push_back("guards." + fault);
    return faults;
}

llm_node::llm_node(std::shared_ptr<chat_model> model, llm_node_options options)
{
    if (options.writes.empty())
        throw error{errc::invalid_configuration, "llm_node", "it writes no keys: name those that the answer is for"};
    agent_detail::llm_templates templates{prompt_template{options.settings.system},
                                          prompt_template{options.settings.prompt}};
    std::vector<agent_detail::answer_key> keys;
    for (const std::string& name : options.writes) {
        if (name == options.settings.messages) continue;
        const auto description = options.descriptions.find(name);
        keys.push_back({name, description == options.descriptions.end() ? std::string{} : description->second,
                        agent_detail::contains(options.nullable, name)});
    }
    if (!options.guards) options.guards = options.settings.guards.make(model);
    agent_detail::require_sound(options.guards, "llm_node");
    // Inside guardrails and records: a reply that comes from the journal takes nothing from the budget.
    std::shared_ptr<chat_model> paid;
    if (model) paid = std::make_shared<budgeted_model>(model);
    std::optional<list<message>> fixed_system;
    if (templates.system.places().empty()) fixed_system = agent_detail::said_by_system(templates.system.with({}));
    list<tool_spec> specs(options.tools.begin(), options.tools.end());
    model_call_options plain_call;
    plain_call.is_recorded = options.once;
    impl_ = std::make_shared<const impl>(
        impl{std::move(paid), std::move(model), std::move(options), std::move(templates), std::move(keys),
             std::move(fixed_system), std::move(specs), std::move(plain_call)});
}

task<void> llm_node::operator()(node_context& node) const
{
    return impl_->options.settings.messages.empty() ? impl::work(impl_, node, nullptr) : impl::converse(impl_, node);
}

task<void> llm_node::tell(node_context& node, chat_sink& listener) const
{
    return impl::work(impl_, node, &listener);
}

std::optional<any_state_key> llm_node::text_key(const state_layout& keys) const
{
    const llm_node_options& options = impl_->options;
    if (!options.settings.messages.empty() || options.writes.size() != 1) return std::nullopt;
    const std::string& name = options.writes.front();
    const std::uint32_t slot = keys.find(name);
    const key_type* const text = &compiled_key<std::string>::type;
    if (slot == state_layout::none || keys[slot].type != text) return std::nullopt;
    return any_state_key{name, hash_of_name(name), text};
}

bool llm_node::describe(node_spec& into, const state_layout&) const
{
    into.kind = "llm";
    into.settings = spec_detail::write_structure(impl_->options.settings);
    into.reads = impl_->options.reads;
    into.writes = impl_->options.writes;
    return true;
}

std::vector<std::string> llm_node::written_keys(const state_layout&) const
{
    std::vector<std::string> keys = impl_->options.writes;
    const std::string& messages = impl_->options.settings.messages;
    if (!messages.empty()) agent_detail::add_once(keys, messages);
    return keys;
}

std::vector<std::string> llm_node::mistakes(const state_layout& keys) const
{
    std::vector<std::string> found;
    for (std::string& one : impl_->templates.system.mistakes(keys)) found.push_back("system: " + std::move(one));
    for (std::string& one : impl_->templates.prompt.mistakes(keys)) found.push_back("prompt: " + std::move(one));
    return found;
}

std::unique_ptr<llm_node::impl::own_call> llm_node::impl::own_call_in(node_context& node, chat_sink* listener) const
{
    const bool is_effect = options.once && node.host().keeps_effects();
    if (!is_effect && !listener && !options.guards) return nullptr;
    auto own = std::make_unique<own_call>(own_call{shape_in(node), plain_call});
    own->how.guards = options.guards.get();
    own->how.listener = listener;
    // One that cannot be used is no outcome: a further attempt asks again.
    own->how.check = [this, &node, &shape = own->shape](const chat_reply& reply) {
        if (reply.message.tool_calls.empty()) (void)shape.read(text_of_reply(reply, node, first_key()), node);
    };
    return own;
}

model_call llm_node::impl::ask(chat_request&& request, node_context& node, own_call* own) const
{
    if (own && own->how.guards) own->how.input = agent_detail::new_input(request.messages);
    return {node.budget() ? *model : *unpaid_model, std::move(request), node, own ? own->how : plain_call};
}

llm_prompt llm_node::impl::prompt_in(node_context& node, const answer_shape& shape) const
{
    llm_prompt asked = agent_detail::make_prompt(templates, options, shape, node);
    agent_detail::warn_of_missing(asked.missing, node);
    return asked;
}

void llm_node::impl::keep_answer(const std::string& answer, node_context& node, const answer_shape& shape) const
{
    std::vector<state_write> writes = shape.read(answer, node);
    for (state_write& write : writes) node.write(std::move(write));
}

list<message> llm_node::impl::messages_in_conversation(node_context& node, const answer_shape& shape,
                                                       std::vector<message>& news) const
{
    list<message> said = messages_key{node, options.settings.messages}.read();
    const bool is_fixed = fixed_system && shape.is_text() && (!options.tells_purpose || node.purpose().empty());
    if (is_fixed && !said.empty()) return list<message>::joined(*fixed_system, said);
    llm_prompt asked;
    if (said.empty()) {
        asked = prompt_in(node, shape);
        begin_conversation(std::move(asked.user), said, news);
    } else {
        asked = agent_detail::make_system_prompt(templates, options, shape, node);
        agent_detail::warn_of_missing(asked.missing, node);
    }
    const list<message> system = is_fixed ? *fixed_system : agent_detail::said_by_system(std::move(asked.system));
    return list<message>::joined(system, said);
}

model_call llm_node::impl::ask_in_conversation(node_context& node, own_call* own, std::vector<message>& news) const
{
    const answer_shape shape = shape_in(node);
    chat_request request = request_of(options.settings, shape, messages_in_conversation(node, shape, news));
    request.tools = specs;
    request.tool_choice = options.tool_choice;
    add_client_tools_to(request, node);
    return ask(std::move(request), node, own);
}

void llm_node::impl::dry_run_in_conversation(node_context& node, const answer_shape& shape) const
{
    const llm_prompt asked = prompt_in(node, shape);
    std::vector<message> news;
    list<message> said = messages_key{node, options.settings.messages}.read();
    if (said.empty()) begin_conversation(asked.user, said, news);
    const std::string text = agent_detail::dry_run_reply(options, shape, asked, node);
    chat_reply reply;
    reply.message = scripted_message(text, options, node, said.size());
    emit_by_word(node, reply.message.text());
    keep_reply(reply, node, std::move(news));
}

void llm_node::impl::keep_reply(chat_reply& reply, node_context& node, std::vector<message> news) const
{
    std::vector<state_write> writes;
    if (reply.message.tool_calls.empty()) {
        writes = shape_in(node).read(text_of_reply(reply, node, first_key()), node);
        agent_detail::warn_of_cut(reply.stop, node);
    }
    news.reserve(news.size() + 1);
    news.push_back(std::move(reply.message));
    messages_key{node, options.settings.messages}.add(std::move(news));
    for (state_write& write : writes) node.write(std::move(write));
}

task<void> llm_node::impl::converse(std::shared_ptr<const impl> self, node_context& node)
{
    if (!self->model) {
        self->dry_run_in_conversation(node, self->shape_in(node));
        co_return;
    }
    std::vector<message> news;
    const std::unique_ptr<own_call> own = self->own_call_in(node, nullptr);
    model_call asking = self->ask_in_conversation(node, own.get(), news);
    chat_reply& reply = co_await asking;
    self->keep_reply(reply, node, std::move(news));
}

model_call llm_node::impl::ask_plainly(node_context& node, own_call* own, std::string& question) const
{
    const answer_shape shape = shape_in(node);
    llm_prompt asked = prompt_in(node, shape);
    list<message> sent;
    if (agent_detail::has_shared_conversation(node)) {
        question = asked.user;
        view_options how;
        how.system = std::move(asked.system);
        sent = agent_detail::told_without_tools(view_of(agent_detail::shared_conversation_of(node), how).messages);
    } else {
        sent = agent_detail::said_by_system(std::move(asked.system));
    }
    sent.push_back(message::user(std::move(asked.user)));
    return ask(request_of(options.settings, shape, std::move(sent)), node, own);
}

void llm_node::impl::dry_run_plainly(node_context& node, const answer_shape& shape, chat_sink* listener) const
{
    llm_prompt asked = prompt_in(node, shape);
    const std::string answer = agent_detail::dry_run_reply(options, shape, asked, node);
    emit_by_word(node, answer, listener);
    keep_answer(answer, node, shape);
    join_conversation(node, std::move(asked.user), answer);
}

task<void> llm_node::impl::work(std::shared_ptr<const impl> self, node_context& node, chat_sink* listener)
{
    if (!self->model) {
        self->dry_run_plainly(node, self->shape_in(node), listener);
        co_return;
    }
    const std::unique_ptr<own_call> own = self->own_call_in(node, listener);
    std::string question;
    model_call asking = self->ask_plainly(node, own.get(), question);
    const chat_reply& reply = co_await asking;
    const std::string answer = text_of_reply(reply, node, self->first_key());
    agent_detail::warn_of_cut(reply.stop, node);
    self->keep_answer(answer, node, self->shape_in(node));
    join_conversation(node, std::move(question), answer);
}

}  // namespace weft
