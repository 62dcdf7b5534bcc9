#pragma once

#include <weft/agent/playbook.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** A place of a playbook's template. */
struct playbook_place {
    std::string label{};   ///< `trigger`, or the label of a node (of one without: its id).
    std::string member{};  ///< `result` or `threadId`; of the trigger empty.
    std::size_t begin = 0;
    std::size_t end = 0;   ///< Behind the last brace.
};

/** The places of a template, in their order. What is in braces and is none stays text. */
[[nodiscard]] std::vector<playbook_place> playbook_places(std::string_view text);

/** What templates are filled from. */
struct playbook_values {
    const boost::json::value& trigger;
    const boost::json::object& outputs;  ///< By label.
};

/** A template with its values: texts as they are, others as JSON; what has no value is empty. */
[[nodiscard]] std::string fill_playbook_text(std::string_view text, const playbook_values& values);
/** The same for all texts inside a JSON value. */
[[nodiscard]] boost::json::value fill_playbook_json(const boost::json::value& value, const playbook_values& values);

/** Whether a condition holds: `true` or `yes`, or `X contains Y`; in any case. */
[[nodiscard]] bool playbook_condition_holds(std::string_view filled);

/** Whether a condition, as it is written, is a statement in words ("The customer is angry"), which only a model can
 *  judge. Templates are left out; `true`, `yes`, `false`, `no`, `X contains Y`, and what has no words beside templates,
 *  are none. */
[[nodiscard]] bool is_natural_language(std::string_view condition);

/** Which route a model's answer names: the one that it, or its member `answer`, is, in any case; else the longest that
 *  stands in it as words; else the first. */
[[nodiscard]] std::size_t playbook_route_in(std::string_view answer, const std::vector<std::string>& routes);

/** What an agent of a playbook is told about how it hands its work back. */
[[nodiscard]] std::string_view hand_back_instructions() noexcept;

}  // namespace weft
