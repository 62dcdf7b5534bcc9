#pragma once

#include <weft/agent/core/agent_settings.hpp>
#include <weft/async/task.hpp>
#include <weft/chat/tool_spec.hpp>
#include <weft/model/chat_model.hpp>
#include <weft/model/chat_request.hpp>
#include <weft/tool/call/client_tools.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft {

class chat_sink;
class node_context;
class state_layout;
struct any_state_key;
struct node_spec;

/** What a node asks a model, as a graph file says it. `system` and `prompt` are templates; see `prompt_template`. */
struct llm_settings {
    std::string system = {};
    std::string prompt = {};  ///< Empty: the values of the keys that the node reads, as a JSON object.
    std::optional<double> temperature = {};
    std::optional<std::int64_t> output_max = {};  ///< Most tokens to write.
    std::string model = {};                       ///< Another model than the one that the program has.
    /** The replies when there is no model: one a visit, the last again. In a conversation a text may call tools; see
     *  `find_calls_in_text`. */
    std::vector<std::string> scripted = {};
    std::string messages = {};                    ///< The key of a conversation that is carried on; see `messages_key`.
    std::vector<std::string> tools = {};          ///< Tools that the model may call; their calls are for a `tool_node`.
    guards_settings guards = {};                  ///< What looks at the prompt and at the reply; for files.
    client_tools_offer client_tools = {};         ///< Tools of the run's client that the model may call, too.

    // A plain aggregate, so that designated initialisers name all its members: the common ones are not a base class.
    [[nodiscard]] sampling_settings sampling() const { return {model, temperature, output_max}; }
    void set_sampling(const sampling_settings& from);
    /** What is wrong with the numbers and guardrails, each as `member: text`. */
    [[nodiscard]] std::vector<std::string> faults() const;
};
BOOST_DESCRIBE_STRUCT(llm_settings, (),
                      (system, prompt, temperature, output_max, model, scripted, messages, tools, guards,
                       client_tools))

/** A node that asks a model, and which keys it has to do with. */
struct llm_node_options {
    llm_settings settings = {};
    std::vector<std::string> writes = {};  ///< The keys that the answer gives values to; at least one.
    std::vector<std::string> nullable = {};  ///< Of these: those that the answer may leave out.
    /** The keys of a prompt without template; not given: all that the node may read, but for those it writes. */
    std::optional<std::vector<std::string>> reads = {};
    std::map<std::string, std::string> descriptions = {};  ///< Of keys, for the model.
    bool tells_purpose = false;  ///< The system is told what the graph is for: `node_context::purpose`.
    bool owes_text = false;  ///< In a dry run texts must not be blank.
    std::vector<tool_spec> tools = {};  ///< Those of `settings.tools`.
    weft::tool_choice tool_choice = {};  ///< Whether the model may, must or must not call them.
    /** Where a run writes its effects down (`run_request::journal`), a reply that can be used is not paid twice: the
     *  call is the effect `reply` of the node, and its key goes along as the `Idempotency-Key`. */
    bool once = true;
    /** What looks at what a person says, beside the call, and at the reply; null: those that `settings.guards` tells.
     *  Their checks are effects of the node where they cost (`guardrail::once`). */
    std::shared_ptr<const guardrails> guards = {};
};

/** The work of a node that asks a model once for each attempt.
 *
 *      weft::llm_node_options asking{.settings = {.prompt = "A line about {topic}."}, .writes = {"draft"}};
 *      builder.node("draft", weft::llm_node{model, std::move(asking)})
 *
 *  If it writes one key that takes texts, the reply's text is the value. Otherwise the model is asked for one JSON
 *  object with the keys as members. A fence or words around it do not matter; a member that is missing or does not fit
 *  its key does, and then nothing is written. Values join what is there by the reducers of the keys.
 *
 *  With `settings.messages` it carries a conversation on: `prompt` is said if nothing has been said yet, the reply is
 *  added, and what the node writes besides is read from a reply without tool calls. So a node with tools, a `tool_node`
 *  and an edge between them that holds for `'tool_calls' in messages[-1]` are an agent.
 *
 *  With `settings.client_tools` the model is offered the tools that the run's client has sent, beside `tools`. Their
 *  calls are for a `tool_node` with the same setting; without one the run ends with them, and the client's next run
 *  brings the results.
 *
 *  In a graph with a conversation (`graph_builder::conversation`) and without `messages`, what was said there comes
 *  before the prompt, and prompt and reply join it.
 *
 *  Further parts of the prompt: on a further visit with `node_options::gives_feedback` the last answer and
 *  `node_context::revision_note`, on a further attempt why the answer before could not be used.
 *
 *  It emits the text as it comes; `retract` when what came is void and comes again; `usage` with what a call used, as
 *  JSON of `weft::usage`, whether the call succeeded or not; `warning` if a template names a key without a value, or if
 *  the reply was cut at the limit of tokens.
 *
 *  Of a run with a budget it takes model calls and tokens; what they cost in money is taken by a `priced_model`.
 *
 *  Guardrails look at the user's words at the end of what the model is asked, and at the text of its reply. Before they
 *  have passed, nothing of the reply is emitted, written or done; see `guarded_model`. A dry run has none.
 *
 *  Without a model it rehearses: the scripted replies, or else made-up ones that say what would have been asked, are
 *  emitted word by word and read like any reply.
 *
 *  @par Errors          From the constructor: `errc::invalid_configuration` if a template is none, `writes` is empty or
 *                       guardrails are wrong.
 *                       In a run, beside those of `chat_model::reply`:
 *    - `errc::invalid_model_reply`   the reply has no text, is a refusal, or does not fit; names node and key.
 *    - `errc::unknown_state_key`, `errc::key_out_of_scope`, `errc::state_conversion`   a key cannot be used.
 *    - `errc::guardrail_tripped`     as a `guardrail_error`.
 *  @par Cancellation    Closes the connection of the model.
 *  @par Thread safety   One object serves all runs on all OS threads, if the model does.
 */
class llm_node {
public:
    /** @param model   Null for a dry run. */
    llm_node(std::shared_ptr<chat_model> model, llm_node_options options);

    [[nodiscard]] task<void> operator()(node_context& node) const;
    /** The same, and `listener` hears the text as it comes; only for a node with a `text_key`. A reply that comes from
     *  a journal is not heard again. The listener outlives the task. */
    [[nodiscard]] task<void> tell(node_context& node, chat_sink& listener) const;
    /** The key whose whole value its text is, so that it can be read as it comes: a text that is replaced, and the only
     *  key that it writes, without `messages`. The name lives as long as a copy of this. */
    [[nodiscard]] std::optional<any_state_key> text_key(const state_layout& keys) const;
    /** As a node of the kind `llm`; always true. */
    bool describe(node_spec& into, const state_layout& keys) const;
    /** The keys that it writes itself; see `node_body::written_keys`. */
    [[nodiscard]] std::vector<std::string> written_keys(const state_layout& keys) const;
    /** Keys of its templates that a graph with these keys does not have; `graph_builder::build` says them. */
    [[nodiscard]] std::vector<std::string> mistakes(const state_layout& keys) const;

private:
    struct impl;
    std::shared_ptr<const impl> impl_;
};

}  // namespace weft
