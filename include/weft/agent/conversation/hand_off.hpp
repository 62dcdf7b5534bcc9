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

/** What a node leaves to one that does not see its talk. */
struct hand_off {
    std::string node{};
    std::size_t turns = 0;  ///< How often its model replied.
    weft::tokens tokens{};  ///< How long the talk was, about.
    std::vector<named_text> outputs{};
    std::string summary{};

    friend bool operator==(const hand_off&, const hand_off&) = default;
};
BOOST_DESCRIBE_STRUCT(hand_off, (), (node, turns, tokens, outputs, summary))

/** How much of a talk is handed over. */
struct hand_off_limits {
    std::size_t message_bytes_max = 500;  ///< Of the first and the last reply.
    std::size_t output_bytes_max = 300;   ///< Of each output.
};

/** A hand-off without any model: the outputs and the first and the last reply. */
[[nodiscard]] hand_off make_hand_off(const conversation& talk, std::string_view lane, std::string node,
                                     std::vector<named_text> outputs, const hand_off_limits& limits = {});

/** Asks a model for the summary of a hand-off in at most 500 tokens; `outputs` are what it should say most about. Its
 *  answer may replace `hand_off::summary`; if it fails, what `make_hand_off` put there is good enough. */
[[nodiscard]] chat_request hand_off_request(const conversation& talk, std::string_view lane,
                                            const std::vector<named_text>& outputs);

/** As a node reads it. */
[[nodiscard]] std::string to_text(const hand_off& what);

/** Begins the lane of an isolated node afresh: what was said in it on earlier visits is out of force, and what others
 *  hand over is its first message.
 *
 *  @param talk   Is changed. @param by   Of the node; its lane is begun.
 *  @return       For the state; nothing if there is neither. */
[[nodiscard]] std::vector<conversation_change> begin_lane(conversation& talk, const std::vector<hand_off>& before,
                                                          const provenance& by);

}  // namespace weft
