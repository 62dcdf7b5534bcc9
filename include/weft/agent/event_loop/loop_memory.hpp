#pragma once

#include <weft/agent/conversation/handoff_summary.hpp>
#include <weft/agent/node/repetition.hpp>
#include <weft/agent/text/named_text.hpp>
#include <weft/agent/text/token_estimator.hpp>
#include <weft/base/units.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weft {

/** How an event loop ended. */
enum class loop_outcome : std::uint8_t {
    none,       ///< It has not.
    accepted,   ///< A judge, or the rules, took it.
    escalated,  ///< The judge or the agent itself gave it up: others are to decide.
    stalled,    ///< It said the same again and again.
    empty,      ///< The model said nothing again and again.
    exhausted,  ///< Its turns are used up.
};
BOOST_DESCRIBE_ENUM(loop_outcome, none, accepted, escalated, stalled, empty, exhausted)

/** One question of several that a person is asked at once. */
struct loop_field {
    std::string id{};
    std::string prompt{};
    std::vector<std::string> options{};

    friend bool operator==(const loop_field&, const loop_field&) = default;
};
BOOST_DESCRIBE_STRUCT(loop_field, (), (id, prompt, options))

/** What a person is to be asked before the next turn. */
struct loop_ask {
    std::string call_id{};
    std::string text{};
    std::vector<std::string> options{};  ///< Proposals; any other answer is one too.
    std::vector<loop_field> fields{};    ///< Of several questions at once; else none.
    bool answers_call = false;           ///< The answer is the result of the call; else a message of the user.

    friend bool operator==(const loop_ask&, const loop_ask&) = default;
};
BOOST_DESCRIBE_STRUCT(loop_ask, (), (call_id, text, options, fields, answers_call))

/** A task that is handed to a sub-agent. */
struct loop_delegation {
    std::string call_id{};
    std::string agent{};
    std::string task{};

    friend bool operator==(const loop_delegation&, const loop_delegation&) = default;
};
BOOST_DESCRIBE_STRUCT(loop_delegation, (), (call_id, agent, task))

/** What a sub-agent tells the agent that it works for. */
struct loop_report {
    std::string message{};
    boost::json::value data{};

    friend bool operator==(const loop_report&, const loop_report&) = default;
};
BOOST_DESCRIBE_STRUCT(loop_report, (), (message, data))

/** The turn at work. */
struct loop_turn {
    std::string reply{};        ///< The text that the model said.
    std::uint32_t calls = 0;    ///< Tool calls of any kind.
    bool called_tools = false;  ///< Those that do something, not the ones of the loop itself.
    bool set_outputs = false;
    bool is_doomed = false;     ///< It closes a doom loop.

    friend bool operator==(const loop_turn&, const loop_turn&) = default;
};
BOOST_DESCRIBE_STRUCT(loop_turn, (), (reply, calls, called_tools, set_outputs, is_doomed))

/** What an event loop remembers from step to step. A plain value that converts to JSON: a checkpoint has it, so that a
 *  run goes on exactly where it was. */
struct event_loop_memory {
    std::uint32_t iteration = 0;      ///< Turns that have begun.
    boost::json::object outputs{};    ///< What was set so far, by key.
    loop_turn turn{};
    stall_detector stall{};
    doom_loop_detector doom{};
    token_estimator estimator{};
    std::uint32_t empty_replies = 0;  ///< In a row.
    std::uint32_t text_turns = 0;     ///< In a row, that face the client and were not judged.
    bool is_marked_complete = false;
    bool is_compaction_due = false;   ///< Only a summary makes the conversation short enough.
    std::string escalation{};         ///< Why the agent gave it up.
    std::vector<loop_ask> asks{};
    std::vector<loop_delegation> delegations{};
    std::vector<loop_report> reports{};
    tokens used{};                    ///< By its own calls of the model.
    loop_outcome outcome = loop_outcome::none;
    std::string why{};                ///< Of an end that is no success, for people.

    /** It ends. */
    void end(loop_outcome how, std::string reason = {})
    {
        outcome = how;
        why = std::move(reason);
    }
};
BOOST_DESCRIBE_STRUCT(event_loop_memory, (),
                      (iteration, outputs, turn, stall, doom, estimator, empty_replies, text_turns,
                       is_marked_complete, is_compaction_due, escalation, asks, delegations, reports, used, outcome,
                       why))

/** What a visit of an event loop begins with. It does not change. */
struct loop_brief {
    std::string node{};
    std::uint32_t visit = 1;
    std::string focus{};                  ///< What it is to do.
    std::string opening{};                ///< What it is told first; empty: its inputs.
    std::vector<named_text> inputs{};     ///< The values that it may read: a snapshot.
    std::vector<handoff_summary> hand_offs{};    ///< What nodes before it leave to it.
    std::vector<std::string> phases{};    ///< The parts of the work before, in a conversation that is carried on.
    std::vector<std::string> missing{};   ///< Keys that a template names and that have no value.
    std::int64_t began = 0;               ///< On the loop's clock, in milliseconds.
    std::int64_t time = 0;                ///< The time of day then, in seconds since 1970, UTC.
};
BOOST_DESCRIBE_STRUCT(loop_brief, (), (node, visit, focus, opening, inputs, hand_offs, phases, missing, began, time))

}  // namespace weft
