#pragma once

#include "loop_rules.hpp"
#include "loop_tools.hpp"

#include <weft/agent/conversation/conversation.hpp>
#include <weft/agent/conversation/conversation_view.hpp>
#include <weft/agent/event_loop.hpp>
#include <weft/agent/prompt/prompt_template.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft::agent_detail {

// The state of an event loop.
inline constexpr state_key<conversation, converse> loop_conversation{"talk"};
inline constexpr state_key<event_loop_memory> loop_state{"loop"};
inline constexpr state_key<loop_brief> loop_start{"brief"};
inline constexpr state_key<std::string> loop_prompt{"prompt"};  // what the system says
inline constexpr state_key<loop_delegation> loop_assignment{"assignment"};  // of a branch with a sub-agent
inline constexpr state_key<std::shared_ptr<const conversation_view>> loop_view{"view", transient};  // the last one

/** What a model may call in a visit. */
struct offered_tools {
    std::optional<tool_runner> runner;  ///< Of all but the loop's own; none without such tools.
    list<tool_spec> specs;              ///< Of all.
    tokens estimate;
};
inline constexpr state_key<std::shared_ptr<const offered_tools>> loop_offer{"offer", transient};

/** Which node a loop is for. */
struct loop_place {
    bool is_sub_agent = false;
    bool wanted_retries = false;  ///< The node was declared with more than one attempt.
};

/** What an event loop is made of: the same for all its visits, and never changed. A sub-agent has one of its own. */
class loop_definition {
public:
    /** @par Errors  `errc::invalid_configuration`. */
    loop_definition(std::shared_ptr<chat_model> model, event_loop_options options, loop_place where = {});

    [[nodiscard]] const event_loop_options& options() const noexcept { return options_; }
    [[nodiscard]] const event_loop_settings& settings() const noexcept { return options_.settings; }
    [[nodiscard]] const loop_limits& limits() const noexcept { return options_.settings.limits; }
    [[nodiscard]] const loop_rules& rules() const noexcept { return rules_; }
    [[nodiscard]] bool wanted_retries() const noexcept { return where_.wanted_retries; }
    [[nodiscard]] const prompt_template& system() const noexcept { return system_; }
    [[nodiscard]] const prompt_template& prompt() const noexcept { return prompt_; }
    /** As it was given: for sub-agents. */
    [[nodiscard]] const std::shared_ptr<chat_model>& source() const noexcept { return source_; }
    /** With what the loop adds: budget, further attempts. Null in a dry run. */
    [[nodiscard]] const std::shared_ptr<chat_model>& model() const noexcept { return model_; }
    [[nodiscard]] const std::shared_ptr<chat_model>& judge_model() const noexcept { return judge_model_; }
    /** The tools by which the model steers the loop. */
    [[nodiscard]] const loop_tools& own() const noexcept { return own_; }

    /** What the model is offered after these parts of the work.
     *  @par Errors  `errc::invalid_configuration` for a name that the loop needs itself. */
    [[nodiscard]] std::shared_ptr<const offered_tools> offer_after(const std::vector<std::string>& phases) const;
    /** Where messages of a visit come from. */
    [[nodiscard]] provenance provenance_of(const loop_brief& brief,
                                           message_author author = message_author::program) const;
    /** The system's text. @param purpose   What the graph around the loop is for. */
    [[nodiscard]] std::string system_text(const loop_brief& brief, const std::string& focus,
                                          const std::string& purpose) const;

private:
    void check() const;
    [[nodiscard]] loop_rules make_rules() const;
    [[nodiscard]] loop_tools make_own_tools() const;
    [[nodiscard]] tool_set tools_after(const std::vector<std::string>& phases) const;
    [[nodiscard]] tool_runner_options runner_options() const;
    [[nodiscard]] std::string preamble() const;

    event_loop_options options_;
    loop_place where_;
    loop_rules rules_;
    prompt_template system_;
    prompt_template prompt_;
    std::shared_ptr<chat_model> source_;
    std::shared_ptr<chat_model> model_;
    std::shared_ptr<chat_model> judge_model_;
    loop_tools own_;
    std::shared_ptr<const offered_tools> offered_;  // without the tools of other nodes
};

/** `- name: value` for each, in the form of a list of values. */
[[nodiscard]] std::string lines_of(const std::vector<named_text>& values);

}  // namespace weft::agent_detail
