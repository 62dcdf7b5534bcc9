#pragma once

#include <weft/agent/guard/guardrail.hpp>

#include <boost/describe/class.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

class chat_model;

/** A guardrail as a graph file says it: exactly one of `rule`, `words`, `chars_max` and `injections`. */
struct guard_settings {
    static constexpr std::array<std::string_view, 1> required_members{"name"};

    std::string name = {};
    std::string rule = {};                         ///< Asks a model whether this holds of the text: then it trips.
    std::string model = {};                        ///< For `rule`: another model than the one that the program has.
    std::vector<std::string> words = {};           ///< Trips on a text with one of these words.
    std::optional<std::int64_t> chars_max = {};    ///< Trips on longer texts.
    bool injections = false;                       ///< Trips on texts that try to give a model other orders.
    std::optional<guard_timing> timing = {};       ///< Not given: a `rule` looks beside, everything else first.
    /** `trip`; or `refuse`, of calls and results of tools: the model is told and goes on, and the text is withheld. */
    guard_action action = guard_action::trip;
    guard_failure on_failure = guard_failure::trip;
    std::optional<std::string> timeout = {};       ///< As `20s`; not given: 10 s.

    /** What is wrong with it, as `member: text`; empty if nothing is. */
    [[nodiscard]] std::string fault() const;

    friend bool operator==(const guard_settings&, const guard_settings&) = default;
};
BOOST_DESCRIBE_STRUCT(guard_settings, (),
                      (name, rule, model, words, chars_max, injections, timing, action, on_failure, timeout))

/** The guardrails of a model as a graph file says them. */
struct guards_settings {
    std::vector<guard_settings> input = {};
    std::vector<guard_settings> output = {};
    guard_release release = guard_release::whole;

    [[nodiscard]] bool is_empty() const noexcept;
    /** What is wrong, each as `member: text`, e.g. `input[0].words: …`. */
    [[nodiscard]] std::vector<std::string> faults() const;
    /** The guardrails; null if there are none.
     *  @param model   That rules are checked by; null: those cannot be checked, and trip.
     *  @par Errors    `errc::invalid_configuration` for what `faults` says. */
    [[nodiscard]] std::shared_ptr<const guardrails> make(const std::shared_ptr<chat_model>& model) const;

    friend bool operator==(const guards_settings&, const guards_settings&) = default;
};
BOOST_DESCRIBE_STRUCT(guards_settings, (), (input, output, release))

/** The guardrails of tools as a graph file says them; `guard_tools` puts them around a runner's calls. */
struct tool_guards_settings {
    std::vector<guard_settings> tool_call = {};
    std::vector<guard_settings> tool_result = {};

    [[nodiscard]] bool is_empty() const noexcept;
    /** As `guards_settings::faults`. */
    [[nodiscard]] std::vector<std::string> faults() const;
    /** As `guards_settings::make`. */
    [[nodiscard]] std::shared_ptr<const guardrails> make(const std::shared_ptr<chat_model>& model) const;

    friend bool operator==(const tool_guards_settings&, const tool_guards_settings&) = default;
};
BOOST_DESCRIBE_STRUCT(tool_guards_settings, (), (tool_call, tool_result))

/** Those of an agent: of its model and of its tools. */
struct agent_guards_settings : guards_settings, tool_guards_settings {
    [[nodiscard]] const guards_settings& of_model() const noexcept { return *this; }
    [[nodiscard]] const tool_guards_settings& of_tools() const noexcept { return *this; }
    /** As `guards_settings::faults`. */
    [[nodiscard]] std::vector<std::string> faults() const;

    friend bool operator==(const agent_guards_settings&, const agent_guards_settings&) = default;
};
BOOST_DESCRIBE_STRUCT(agent_guards_settings, (guards_settings, tool_guards_settings), ())

}  // namespace weft
