#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

/** When what somebody says in pieces is enough to be answered. The one place of these defaults. */
struct speech_limits {
    std::chrono::milliseconds pause{1'500};       ///< Of silence behind a text that is long enough.
    std::chrono::milliseconds silence{3'000};     ///< Of silence behind any text.
    std::chrono::milliseconds age_max{15'000};    ///< From the first piece on, whether somebody still talks or not.
    std::size_t chars_min = 20;                   ///< Code points of a text that is long enough.
    std::size_t bytes_max = 100'000;              ///< More are not collected: the text is handed over.
};

/** Why a text is handed over, or not yet. */
enum class speech_reason : std::uint8_t {
    waiting,
    marked_complete,    ///< Whoever listens says so.
    sentence_end,       ///< It ends with a mark of punctuation.
    complete_thought,   ///< It begins as a request does ("can you"), or ends as one does ("thanks").
    pause,
    silence,
    too_old,
    too_long,
    forced,
};
BOOST_DESCRIBE_ENUM(speech_reason, waiting, marked_complete, sentence_end, complete_thought, pause, silence, too_old,
                    too_long, forced)

/** What is to be done with a buffer. */
struct speech_decision {
    speech_reason reason = speech_reason::waiting;
    std::string content{};  ///< All that was said; of `waiting` so far.

    /** Whether the content is handed over; the buffer is empty then. */
    [[nodiscard]] bool is_ready() const noexcept { return reason != speech_reason::waiting; }
};
BOOST_DESCRIBE_STRUCT(speech_decision, (), (reason, content))

/** Collects the pieces of what somebody says until they are worth an answer. A state machine: it is told the time and
 *  says when it wants to be asked again. A plain value, which converts to JSON.
 *
 *  @par Source   Sulla's stream buffer; unlike there, age counts from the first piece, so that who never stops talking
 *                is answered too.
 */
struct speech_buffer {
    /** A moment, since any fixed one. */
    using moment = std::chrono::milliseconds;

    std::string content{};   ///< What was said so far.
    std::int64_t first = 0;  ///< When the first piece of it came, in milliseconds.
    std::int64_t last = 0;   ///< When the last one came.

    /** Takes a piece; pieces are joined by a space.
     *  @param is_last   Whoever listens knows that nothing follows. */
    [[nodiscard]] speech_decision add(std::string_view piece, moment now, const speech_limits& limits = {},
                                      bool is_last = false);
    /** Looks whether time alone has made the text ready. */
    [[nodiscard]] speech_decision look(moment now, const speech_limits& limits = {});
    /** When `look` is worth while; nothing while there is no text. */
    [[nodiscard]] std::optional<moment> next_look(const speech_limits& limits = {}) const;
    /** Hands over what there is, at once. */
    [[nodiscard]] speech_decision flush();

    [[nodiscard]] bool is_empty() const noexcept { return content.empty(); }
    /** Since the first piece; 0 without text. */
    [[nodiscard]] std::chrono::milliseconds age(moment now) const noexcept;

    friend bool operator==(const speech_buffer&, const speech_buffer&) = default;
};
BOOST_DESCRIBE_STRUCT(speech_buffer, (), (content, first, last))

}  // namespace weft
