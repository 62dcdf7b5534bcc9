#pragma once

#include <weft/base/chrono.hpp>
#include <weft/base/json.hpp>
#include <weft/chat/message.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <boost/json/conversion.hpp>
#include <boost/json/fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** Who a message comes from, whatever role it is sent with. */
enum class message_author : std::uint8_t {
    unknown,
    person,   ///< A person typed it.
    model,    ///< A model wrote it.
    tool,     ///< A tool gave it.
    program,  ///< Code made it: a reminder, a warning, a marker.
};
BOOST_DESCRIBE_ENUM(message_author, unknown, person, model, tool, program)

/** Where a message comes from. */
struct provenance {
    std::string lane{};   ///< Which talk it belongs to; empty: the main one. See `conversation`.
    std::string phase{};  ///< Which part of the work it belongs to; see `phase_summary`.
    std::string node{};
    std::uint32_t visit = 0;
    std::string run{};
    std::optional<std::chrono::sys_time<std::chrono::milliseconds>> at{};
    message_author author = message_author::unknown;

    friend bool operator==(const provenance&, const provenance&) = default;
};

/** What an entry of a conversation is. */
enum class entry_kind : std::uint8_t {
    said,       ///< A message.
    summary,    ///< A message that stands for the entries that it covers; without text they are just left out.
    shortened,  ///< The tool results that it covers are shown as placeholders.
};
BOOST_DESCRIBE_ENUM(entry_kind, said, summary, shortened)

/** Entries of one lane from one position up to, and not including, another. */
struct entry_range {
    std::uint32_t first = 0;
    std::uint32_t last = 0;

    [[nodiscard]] bool contains(std::uint32_t position) const noexcept { return first <= position && position < last; }
    friend bool operator==(const entry_range&, const entry_range&) = default;
};

/** One item of a conversation: a message, or a mark that says how earlier ones are shown. Never changed once it is
 *  there. */
struct conversation_entry {
    entry_kind kind = entry_kind::said;
    weft::message message{};
    provenance from{};
    bool is_pinned = false;  ///< Neither shortened, left out nor summarised, and part of every view.
    std::string label{};     ///< What it is to a program: `transition`, `hand_off`, `nudge`.
    std::int64_t id = 0;     ///< Tells it apart; given when it is added.
    std::vector<entry_range> covers{};  ///< Of marks, ascending.

    [[nodiscard]] bool is_mark() const noexcept { return kind != entry_kind::said; }
    friend bool operator==(const conversation_entry&, const conversation_entry&) = default;
};

/** `{"message":{…},"node":"plan","visit":2,"id":17,…}`: what says nothing is left out, `at` is in milliseconds since
 *  1970, `covers` a list of pairs. */
void tag_invoke(boost::json::value_from_tag, boost::json::value& out, const conversation_entry& in);

/** @par Errors `errc::unexpected_json` when a field is missing or has another type; the message names it. */
conversation_entry tag_invoke(boost::json::value_to_tag<conversation_entry>, const boost::json::value& in);

/** Where an entry was seen. */
struct entry_place {
    std::uint32_t position = 0;
    std::int64_t id = 0;

    friend bool operator==(const entry_place&, const entry_place&) = default;
};
BOOST_DESCRIBE_STRUCT(entry_place, (), (position, id))

/** One entry to be added, as an update of a state key; see `converse`. A mark names what it covers by id, so that it
 *  means the same where entries of other branches came first. */
struct conversation_change {
    conversation_entry entry{};  ///< Its own `covers` do not count.
    std::vector<entry_place> covers{};

    friend bool operator==(const conversation_change&, const conversation_change&) = default;
};
BOOST_DESCRIBE_STRUCT(conversation_change, (), (entry, covers))

}  // namespace weft
