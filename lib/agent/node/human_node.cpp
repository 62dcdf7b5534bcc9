#include <weft/agent/core/agent_event.hpp>
#include <weft/agent/human_node.hpp>

#include "agent/prompt/answer_shape.hpp"
#include "agent/text/key_text.hpp"
#include "human_answer.hpp"

#include <weft/agent/prompt/prompt_template.hpp>
#include <weft/base/error.hpp>
#include <weft/base/text/ascii_text.hpp>
#include <weft/graph/graph_spec.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/spec/spec_reading.hpp>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace weft {

struct human_node::impl {
    /** One attempt. */
    static task<void> work(std::shared_ptr<const impl> self, node_context& node);

    std::shared_ptr<human> whom;
    human_settings settings;
    prompt_template question;
    std::string key;
};

namespace {

/** Where the answer goes. */
std::uint32_t slot_of(const node_context& node, const std::string& key)
{
    const std::uint32_t slot = node.layout().find(key);
    if (slot == state_layout::none)
        throw error{errc::unknown_state_key, agent_detail::place_of(node, key),
                    "declare it in the graph, or correct the name"};
    if (!node.layout()[slot].type->update->from_json)
        throw error{errc::state_conversion, agent_detail::place_of(node, key),
                    "a transient key takes no answers: name another one"};
    return slot;
}

human_question question_of(const human_settings& settings, const prompt_template& text, node_context& node)
{
    prompt_template::filled filled = text.fill(node);
    for (const std::string& key : filled.missing)
        node.emit(agent_event::warning, "the question names '" + key + "', which has no value");
    human_question question;
    question.node = node.node();
    question.thread = node.thread();
    question.visit = node.visit();
    question.text = std::move(filled.text);
    question.form = settings.effective_form();
    question.options = settings.options;
    return question;
}

/** A question of a node as one of its run. */
weft::question as_interrupt(const human_question& asked, const value_type& type)
{
    weft::question made{asked.text};
    const bool is_text = &type == &value_type_of<std::string>;
    if (asked.form == question_form::choice) made = question::selection(asked.text, asked.options);
    else if (asked.form == question_form::approval) made = question::approval(asked.text);
    else if (!is_text) made = question::structured(asked.text, {});  // what fits shows when it is read
    std::string help = is_text ? std::string{} : "Expected: " + asked.expected + ".";
    if (!asked.refused.empty()) help.append(help.empty() ? "" : " ").append(asked.refused + ".");
    made.help = std::move(help);
    return made;
}

task<boost::json::value> ask(human* whom, const human_question& asked, const value_type& type, node_context& node)
{
    return whom ? whom->ask(asked) : node.interrupt(as_interrupt(asked, type));
}

}  // namespace

std::string fault_of(const human_settings& settings)
{
    const std::vector<std::string>& options = settings.options;
    const question_form form = settings.effective_form();
    if (form == question_form::choice && options.empty()) return "a choice needs options: list them";
    if (form != question_form::choice && !options.empty())
        return "only a choice has options: leave out form, or options";
    std::unordered_set<std::string_view> seen;
    for (const std::string& option : options) {
        if (is_blank(option)) return "an option is blank: write what it means";
        if (!seen.insert(option).second) return "'" + option + "' is there twice";
    }
    return {};
}

human_node::human_node(std::shared_ptr<human> whom, human_settings settings, std::string key)
{
    std::string fault = fault_of(settings);
    if (settings.question.empty()) fault = "the question is empty: write one";
    if (!fault.empty()) throw error{errc::invalid_configuration, "human_node", std::move(fault)};
    prompt_template question{settings.question};
    impl_ = std::make_shared<const impl>(
        impl{std::move(whom), std::move(settings), std::move(question), std::move(key)});
}

task<void> human_node::operator()(node_context& node) const { return impl::work(impl_, node); }

bool human_node::describe(node_spec& into, const state_layout&) const
{
    into.kind = "human";
    into.settings = spec_detail::write_structure(impl_->settings);
    into.writes = {impl_->key};
    return true;
}

std::vector<std::string> human_node::written_keys(const state_layout&) const { return {impl_->key}; }

std::vector<std::string> human_node::mistakes(const state_layout& keys) const
{
    std::vector<std::string> found;
    for (std::string& one : impl_->question.mistakes(keys)) found.push_back("question: " + std::move(one));
    return found;
}

task<void> human_node::impl::work(std::shared_ptr<const impl> self, node_context& node)
{
    const std::uint32_t slot = slot_of(node, self->key);
    const value_type& type = *node.layout()[slot].type->update;
    human_question question = question_of(self->settings, self->question, node);
    question.key = self->key;
    question.expected = agent_detail::words_for(type);
    while (question.asked <= asked_again_max) {
        node.emit(agent_event::question, question.text);
        const boost::json::value answer = co_await ask(self->whom.get(), question, type, node);
        agent_detail::human_answer read = agent_detail::read_answer(answer, question, type);
        if (read.value) {
            node.write({slot, false, false, std::move(read.value)});
            co_return;
        }
        question.refused = std::move(read.fault);
        ++question.asked;
    }
    throw error{errc::unexpected_json, agent_detail::place_of(node, self->key),
                "no answer fitted, asked " + std::to_string(question.asked) + " times; the last: " + question.refused};
}

}  // namespace weft
