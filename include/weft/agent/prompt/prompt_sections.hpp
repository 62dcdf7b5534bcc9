#pragma once

#include <weft/agent/text/token_estimator.hpp>
#include <weft/base/units.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** What a section of a prompt is about; sections are taken in this order. */
enum class prompt_phase : std::uint8_t { constraint, task, memory, tools, history, user };
BOOST_DESCRIBE_ENUM(prompt_phase, constraint, task, memory, tools, history, user)

/** The phase of that name; `task` if there is none. */
[[nodiscard]] prompt_phase prompt_phase_named(std::string_view name) noexcept;

/** How long the text of a section stays the same. What stays longest comes first: providers cache the beginning of a
 *  prompt up to the first byte that differs. */
enum class prompt_stability : std::uint8_t {
    fixed,  ///< As long as the agent does.
    phase,  ///< Until another part of the work begins.
    turn,   ///< For one request: the time, budgets.
};
BOOST_DESCRIBE_ENUM(prompt_stability, fixed, phase, turn)

/** One section of a prompt. */
struct prompt_section {
    std::string id{};
    std::string text{};
    std::string source{};  ///< Where the text comes from, for people.
    double priority = 1;
    double weight = 1;
    double multiplier = 1;    ///< How much it counts in this context.
    prompt_phase phase = prompt_phase::task;
    prompt_stability stability = prompt_stability::fixed;
    bool is_sticky = false;   ///< It is always in, whatever the budget.
    tokens tokens_max{0};     ///< Its own budget: a longer text is cut; 0: none.
    std::vector<std::string> tags{};

    [[nodiscard]] double score() const noexcept { return priority * weight * multiplier; }
};

/** What became of a section. */
enum class section_fate : std::uint8_t {
    kept,
    cut,      ///< To its own budget.
    dropped,  ///< It has no room.
    empty,    ///< It has no text.
};
BOOST_DESCRIBE_ENUM(section_fate, kept, cut, dropped, empty)

/** What became of a section, and why. */
struct section_report {
    std::string id{};
    std::string source{};
    prompt_phase phase = prompt_phase::task;
    prompt_stability stability = prompt_stability::fixed;
    bool is_sticky = false;
    double score = 0;
    section_fate fate = section_fate::kept;
    tokens wanted{};  ///< Of the whole text, as the provider counts.
    tokens used{};    ///< Of what is in the prompt.
    std::string why{};
    std::vector<std::string> tags{};
};
BOOST_DESCRIBE_STRUCT(section_report, (),
                      (id, source, phase, stability, is_sticky, score, fate, wanted, used, why, tags))

/** A prompt, and how it came about. Converts to JSON (`to_json`). */
struct composed_prompt {
    std::string text{};
    tokens total{};
    tokens budget{};
    bool is_over_budget = false;            ///< What is always in takes more.
    std::vector<section_report> sections{};  ///< As they stand in the prompt; then those that do not, as given.
};
BOOST_DESCRIBE_STRUCT(composed_prompt, (), (text, total, budget, is_over_budget, sections))

/** How sections follow each other, among those that are equally stable. */
enum class prompt_order : std::uint8_t {
    by_score,  ///< Sticky ones first, then by phase, the higher score, and id.
    as_given,
};

/** How a prompt is composed. */
struct prompt_options {
    tokens budget{16'384};
    token_estimator estimator{};
    prompt_order order = prompt_order::by_score;
    std::function<void(const prompt_section&)> on_drop{};  ///< For each section that has no room, in the order asked.
};

/** Puts sections together, with blank lines between them.
 *
 *  Sticky sections are always in. The others are asked by phase, then the higher score, then id, and come in if they
 *  fit; the first of all comes in even if it does not, so that a prompt is never empty. Equal sections and options give
 *  the same bytes.
 *
 *  @par Source   The prompt engine of nucleic-se/agentic; stability is ours.
 */
[[nodiscard]] composed_prompt compose(const std::vector<prompt_section>& sections, const prompt_options& options = {});

}  // namespace weft
