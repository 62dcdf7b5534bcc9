#pragma once

#include <weft/agent/node/human.hpp>
#include <weft/async/task.hpp>

#include <boost/describe/class.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

class node_context;
class state_layout;
struct node_spec;

/** What a node asks a person, as a graph file says it. */
struct human_settings {
    static constexpr std::array<std::string_view, 1> required_members{"question"};
    std::string question = {};                 ///< A template; see `prompt_template`.
    std::vector<std::string> options = {};     ///< Of a choice.
    std::optional<question_form> form = {};    ///< Not given: `choice` if there are options, else `text`.

    [[nodiscard]] question_form effective_form() const noexcept
    {
        return form.value_or(options.empty() ? question_form::text : question_form::choice);
    }
};
BOOST_DESCRIBE_STRUCT(human_settings, (), (question, options, form))

/** The work of a node that asks a person.
 *
 *  The answer becomes the value of one key: a choice the option as it is written in the settings, whatever the case in
 *  which it was answered; an approval `true` or `false`, also from yes, no, y, n, ok, approve and reject; a text what
 *  the key takes, read as JSON if it takes no text. An answer that does not fit is asked again, with the reason, up to
 *  three times.
 *
 *  It emits `question` with the text when it asks.
 *
 *  Without a person it asks by `node_context::interrupt`: the run is parked, or pauses with its question
 *  (docs/INTERRUPTS.md).
 *
 *  @par Errors          From the constructor: `errc::invalid_configuration` if the question is empty or no template, or
 *                       form and options contradict each other. In a run, beside what the person throws:
 *    - `errc::unexpected_json`   no answer fitted; names node and key and says what was wrong with the last one.
 *    - `errc::unknown_state_key`, `errc::key_out_of_scope`, `errc::state_conversion`   a key cannot be used.
 *  @par Cancellation    Withdraws the question. The node's timeout, or else the run's `node_timeout`, holds for all
 *                       its questions together.
 *  @par Thread safety   One object serves all runs on all OS threads, as the person does.
 */
class human_node {
public:
    static constexpr std::uint32_t asked_again_max = 3;

    /** @param whom  Null: the question is one of the run, answered by its program.
     *  @param key   What the answer is for. */
    human_node(std::shared_ptr<human> whom, human_settings settings, std::string key);

    [[nodiscard]] task<void> operator()(node_context& node) const;
    /** As a node of the kind `human`; always true. */
    bool describe(node_spec& into, const state_layout& keys) const;
    /** The keys that it writes itself; see `node_body::written_keys`. */
    [[nodiscard]] std::vector<std::string> written_keys(const state_layout& keys) const;
    /** Keys of its templates that a graph with these keys does not have; `graph_builder::build` says them. */
    [[nodiscard]] std::vector<std::string> mistakes(const state_layout& keys) const;

private:
    struct impl;
    std::shared_ptr<const impl> impl_;
};

/** What is wrong with settings that each for itself are right: form and options that contradict each other, options
 *  that are there twice or blank. Empty if nothing is. */
[[nodiscard]] std::string fault_of(const human_settings& settings);

}  // namespace weft
