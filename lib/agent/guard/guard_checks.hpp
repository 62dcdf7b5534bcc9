#pragma once

#include <weft/agent/guard/guardrail.hpp>

#include <boost/json/value.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft::agent_detail {

/** What the guardrails of a stage left of a text. */
struct guard_outcome {
    guard_outcome() {}

    std::string text;
    bool is_replaced = false;
    std::string refusal;      ///< Not empty: refused, with these words for the model.
};

/** For whom guardrails look: for messages of errors, and where verdicts are kept. */
struct guard_place {
    guard_place() {}
    guard_place(std::string where, node_context* at) : name{std::move(where)}, node{at} {}

    std::string name;
    node_context* node = nullptr;  ///< Null outside a graph.
};

/** @par Errors   `errc::invalid_configuration` for what `guardrails::fault` says; null has none. */
void require_sound(const std::shared_ptr<const guardrails>& guards, std::string_view where);

/** Behind the failure of a part of an agent's work, or behind branches: what a guardrail stopped stops all of it, and
 *  is no mishap that another attempt could mend.
 *  @par Errors   `errc::guardrail_tripped` if that is why something failed. */
void refuse_trip(const node_context& node);

/** @return   Whether a guardrail of this timing is among them. */
[[nodiscard]] bool has_guards(const std::vector<guardrail>& guards, guard_timing timing) noexcept;

/** Has those of the guardrails that look `when` look at a text.
 *
 *  @par Errors          `guardrail_error` if one trips, which stops the checks beside it; `errc::budget_exhausted`.
 *  @par Cancellation    The checks are stopped and awaited.
 *  @par Lifetimes       `guards` and `place` outlive the task. */
[[nodiscard]] task<guard_outcome> pass_guards(const std::vector<guardrail>& guards, guard_timing when,
                                              guard_subject subject, const guard_place& place);

/** The same of all of them: first those that come first, then the others with the text that these left. */
[[nodiscard]] task<guard_outcome> pass_all_guards(const std::vector<guardrail>& guards, guard_subject subject,
                                                  const guard_place& place);

}  // namespace weft::agent_detail
