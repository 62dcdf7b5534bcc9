#pragma once

#include <weft/agent/conversation/conversation.hpp>
#include <weft/agent/text/token_estimator.hpp>
#include <weft/base/list.hpp>
#include <weft/base/units.hpp>
#include <weft/chat/message.hpp>
#include <weft/graph/state_key.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** What happens to older messages once one has no room. */
enum class when_full : std::uint8_t {
    skip,  ///< It is left out, and older ones that are smaller may still come in.
    stop,  ///< It is left out and all older ones too, so that there are no holes.
};
BOOST_DESCRIBE_ENUM(when_full, skip, stop)

/** What of a conversation goes into a request. */
struct view_options {
    std::string lane{};
    std::string system{};   ///< Said by the system before everything, such as a composed prompt; empty: nothing.
    tokens budget{96'000};  ///< For the messages of the view, as the provider counts.
    token_estimator estimator{};
    weft::when_full full = when_full::skip;
    std::optional<std::size_t> user_turns_max{};  ///< Only the newest so many messages by users, and what follows them.
    bool has_tools = true;                        ///< False: without calls of tools and their results.
    std::string continue_with{};  ///< Said by the user if the last message is the assistant's; empty: nothing.
};

/** Something about a view that is worth knowing. */
struct view_note {
    enum class kind : std::uint8_t {
        orphan_call,    ///< A call without its result; the call is left out, and its message if nothing else is in it.
        orphan_result,  ///< A result without its call; left out.
        second_result,  ///< Another result of a call; left out.
        over_budget,    ///< What is always kept takes more than the budget.
    };
    kind what = kind::orphan_call;
    std::uint32_t position = no_entry;
    std::string text{};  ///< For people.
};

/** What a message of a view was made of; equal ones of one conversation are equal messages. */
struct message_shape {
    std::int64_t id = 0;      ///< Of the entry; 0 for what is in no conversation.
    std::uint32_t form = 0;   ///< As it was said, shortened, or with so many of its calls.

    friend bool operator==(const message_shape&, const message_shape&) = default;
};

/** What a longer view goes on from. */
struct view_basis {
    conversation of{};
    std::string lane{};
    std::int64_t system_weight = 0;  ///< Estimated tokens of what the system says before everything.
    std::int64_t weight = 0;         ///< Of all else.
};

/** The messages of a request, out of a conversation. */
struct conversation_view {
    list<message> messages{};                ///< Oldest first; calls are followed by their results.
    std::vector<std::uint32_t> positions{};  ///< Of each message, the entry it comes from, or `no_entry`.
    std::vector<message_shape> shapes{};     ///< Of each message.
    tokens estimated{};                      ///< Corrected; at most the budget, unless `is_over_budget`.
    bool is_over_budget = false;             ///< What is always kept alone takes more.
    std::size_t left_out = 0;                ///< Messages in force that are not in it.
    std::vector<view_note> notes{};          ///< The first hundred.
    std::optional<view_basis> basis{};       ///< If all that is in force is in it, in good order; for `view_of`.
};

/** Makes the messages of a request.
 *
 *  Always in it are messages of the system, those that are pinned, summaries, and the latest message of the user. Of
 *  the others it takes the newest that fit. A message with tool calls and the results of these are one: all of them are
 *  in it, or none. A call without result is left out and so is a result without call, with a note; the results stand
 *  right behind the calls, in their order. The same conversation and options give the same view.
 *
 *  @param before   A view of the same conversation when it was shorter, as of the turn before; may be null. If this one
 *                  begins with it, its messages are shared instead of copied.
 *
 *  @par Complexity   What is in force and goes in, and at most a thousand messages that had no room. Only messages that
 *                    are not shared are copied. If everything was in the view before and has room in this one, what
 *                    was added since.
 *  @par Source       The order in which messages are kept: Sulla's input handler.
 */
[[nodiscard]] conversation_view view_of(const conversation& from, const view_options& options = {},
                                        const conversation_view* before = nullptr);

extern template struct compiled_key<std::shared_ptr<const conversation_view>, replace, true>;

}  // namespace weft
