#include "llm_prompt.hpp"

#include "agent/core/dry_run_model.hpp"
#include "agent/text/key_text.hpp"
#include "agent/text/names.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/node_context.hpp>

namespace weft::agent_detail {

namespace {

// Bytes of a prompt that a made-up reply repeats, so that loops do not swell it.
constexpr std::size_t retold_max = 200;

void add_part(std::string& text, std::string_view part)
{
    if (part.empty()) return;
    text.append(text.empty() ? "" : "\n\n").append(part);
}

/** The keys of a prompt without template. */
std::vector<std::string> keys_to_tell(const llm_node_options& options, const node_context& node)
{
    if (options.reads) return *options.reads;
    std::vector<std::string> keys;
    for (std::uint32_t slot = 0; slot < node.layout().size(); ++slot) {
        const state_layout::slot& key = node.layout()[slot];
        // Tools of the client go to the model as tools.
        const bool is_told = key.type->value != &value_type_of<client_tools>;
        if (is_told && !contains(options.writes, key.name) && !key.type->is_transient && node.may_read(slot) &&
            slot != node.conversation_slot())
            keys.push_back(key.name);
    }
    return keys;
}

/** The values of the keys as a JSON object with a line for each. */
std::string values_as_object(const llm_node_options& options, const node_context& node)
{
    std::string text;
    for (const std::string& key : keys_to_tell(options, node)) {
        if (!read_key(node, key).has_value) continue;
        const value_ptr& value = node.value_at(node.layout().find(key));
        text.append(text.empty() ? "{" : ",").append("\n  ").append(readable_json(boost::json::string_view{key}));
        text.append(": ").append(readable_json(value->type().to_json(*value)));
    }
    return text.empty() ? "{}" : text + "\n}";
}

/** Why the last attempt's answer could not be used; empty if that is not why it failed. */
std::string last_fault(const node_context& node)
{
    const failure* const failed = node.attempt() > 1 ? node.previous_failure() : nullptr;
    if (!failed || (failed->code != errc::invalid_model_reply && failed->code != errc::invalid_output)) return {};
    std::string why = failed->message;
    try {
        if (failed->cause) std::rethrow_exception(failed->cause);
    } catch (const error& e) {
        why = e.where() + ": " + e.detail();
    } catch (...) {
        why = text_of(failed->cause);
    }
    return "Your last answer could not be used: " + why;
}

}  // namespace

llm_prompt make_system_prompt(const llm_templates& templates, const llm_node_options& options,
                              const answer_shape& shape, const node_context& node)
{
    prompt_template::filled system = templates.system.fill(node);
    llm_prompt result{std::move(system.text), {}, std::move(system.missing)};
    if (options.tells_purpose) add_part(result.system, node.purpose());
    if (!shape.is_text()) add_part(result.system, shape.instructions());
    return result;
}

list<message> said_by_system(std::string text)
{
    list<message> said;
    if (!text.empty()) said.push_back(message::system(std::move(text)));
    return said;
}

llm_prompt make_prompt(const llm_templates& templates, const llm_node_options& options, const answer_shape& shape,
                       const node_context& node)
{
    llm_prompt result = make_system_prompt(templates, options, shape, node);
    prompt_template::filled user = templates.prompt.fill(node);
    result.user = templates.prompt.is_empty() ? values_as_object(options, node) : std::move(user.text);
    for (const std::string& key : user.missing) add_once(result.missing, key);
    // Behind the question, so that the beginning of the request stays what the provider has cached.
    if (const std::string note = node.revision_note(); !note.empty()) {
        const std::string prior = shape.prior_answer(node);
        if (!prior.empty()) add_part(result.user, "Your last output:\n" + prior);
        add_part(result.user, note);
    }
    add_part(result.user, last_fault(node));
    return result;
}

std::string dry_run_reply(const llm_node_options& options, const answer_shape& shape, const llm_prompt& asked,
                            const node_context& node)
{
    const std::vector<std::string>& scripted = options.settings.scripted;
    if (!scripted.empty()) return scripted_line(scripted, node.visit() - 1);
    if (!shape.is_text()) return readable_json(shape.plain_object(options.owes_text ? "rehearsed" : ""));
    std::string question = asked.system;
    add_part(question, asked.user);
    return "(A rehearsal: no model is configured. The node '" + std::string{node.node()} + "' would have asked: " +
           shortened(question, retold_max) + ")";
}

}  // namespace weft::agent_detail
