#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** What a judge makes of a turn. */
enum class judgement : std::uint8_t {
    accept,    ///< The node has done.
    retry,     ///< It goes on, with the feedback if there is any.
    escalate,  ///< It has failed: others are to decide.
};
BOOST_DESCRIBE_ENUM(judgement, accept, retry, escalate)

/** A judgement, and what the agent is told. */
struct verdict {
    judgement action = judgement::accept;
    double confidence = 1.0;  ///< From 0 to 1; of rules always 1.
    std::string feedback{};   ///< Empty: the agent goes on without a word.
    std::string by{};         ///< Who judged: "rules", "model", or what a judge calls itself.

    friend bool operator==(const verdict&, const verdict&) = default;
};
BOOST_DESCRIBE_STRUCT(verdict, (), (action, confidence, feedback, by))

/** What the rules judge by. */
struct turn_facts {
    bool is_marked_complete = false;      ///< The agent said so by a tool that is for that.
    bool skips_judge = false;             ///< This turn is not judged.
    bool called_tools = false;            ///< Those that do something, not the ones of the loop itself.
    bool is_client_facing = false;        ///< It talks with a person.
    std::vector<std::string> missing{};   ///< Required outputs that have no value.
    std::size_t outputs = 0;              ///< How many the node declares.
    std::size_t outputs_set = 0;          ///< How many have a value.
    bool has_criteria = false;            ///< A model is to judge the quality.
};

/** What the rules make of a turn, in their order: marked complete, not to be judged, tools called, required outputs
 *  missing, none of the optional outputs set, a conversation that has no outputs. @return False if a model is to judge,
 *  since there are criteria; `into` accepts then. */
[[nodiscard]] bool judge_by_rules(const turn_facts& turn, verdict& into);

/** A judge of the user's that accepts too early is overruled. */
[[nodiscard]] verdict with_outputs_checked(verdict from, const std::vector<std::string>& missing);

/** Reads what a model that judges has written: lines `ACTION:`, `CONFIDENCE:` (a number or a percentage) and
 *  `FEEDBACK:` (to the end), in any order and case. What is none of that accepts with a confidence of 0.5, since no
 *  agent is to be held up by a judge that cannot write.
 *
 *  @par Source   Hive's judge protocol. */
[[nodiscard]] verdict read_verdict(std::string_view reply);

/** The text by which feedback reaches an agent. */
[[nodiscard]] std::string feedback_text(const verdict& from);

}  // namespace weft
