#pragma once

#include <weft/agent/conversation/conversation.hpp>
#include <weft/agent/text/named_text.hpp>
#include <weft/base/units.hpp>
#include <weft/model/chat_request.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** What a node knows of what was said before it. */
enum class conversation_mode : std::uint8_t {
    continuous,  ///< All of the main lane, which it carries on.
    isolated,    ///< What earlier nodes hand over. It talks in a lane of its own, afresh on each visit.
};
BOOST_DESCRIBE_ENUM(conversation_mode, continuous, isolated)

/** The lane in which a node talks: the main one, or the one that is called like it. */
[[nodiscard]] std::string lane_of(conversation_mode mode, std::string_view node);

/** What a node leaves to one that does not see its conversation. */
struct handoff_summary {
    std::string node{};
    std::size_t turns = 0;  ///< How often its model replied.
    weft::tokens tokens{};  ///< How long the conversation was, about.
    std::vector<named_text> outputs{};
    std::string summary{};

    friend bool operator==(const handoff_summary&, const handoff_summary&) = default;
};
BOOST_DESCRIBE_STRUCT(handoff_summary, (), (node, turns, tokens, outputs, summary))

extern template struct compiled_value<handoff_summary>;
extern template struct compiled_value<list<handoff_summary>>;

/** How much of a conversation is handed over. */
struct handoff_summary_limits {
    std::size_t message_bytes_max = 500;  ///< Of the first and the last reply.
    std::size_t output_bytes_max = 300;   ///< Of each output.
};

/** A hand-off without any model: the outputs and the first and the last reply. */
[[nodiscard]] handoff_summary make_handoff_summary(const conversation& history, std::string_view lane,
                                                   std::string node, std::vector<named_text> outputs,
                                                   const handoff_summary_limits& limits = {});

/** Asks a model for the summary of a hand-off in at most 500 tokens; `outputs` are what it should say most about. Its
 *  answer may replace `handoff_summary::summary`; if it fails, what `make_handoff_summary` put there is good enough. */
[[nodiscard]] chat_request handoff_summary_request(const conversation& history, std::string_view lane,
                                                   const std::vector<named_text>& outputs);

/** As a node reads it. */
[[nodiscard]] std::string to_text(const handoff_summary& what);

/** Begins the lane of an isolated node afresh: what was said in it on earlier visits is out of force, and what others
 *  hand over is its first message.
 *
 *  @param history   Is changed. @param by   Of the node; its lane is begun.
 *  @return       For the state; nothing if there is neither. */
[[nodiscard]] std::vector<conversation_change> begin_lane(conversation& history,
                                                          const std::vector<handoff_summary>& before,
                                                          const provenance& by);

}  // namespace weft
