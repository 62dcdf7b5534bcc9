#pragma once

#include <weft/base/chrono.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

/** When speech that comes in pieces is handed over. The one place of these defaults. */
struct speech_limits {
    std::chrono::milliseconds pause{1'500};       ///< Of silence; then it is asked whether the thought is complete.
    std::chrono::milliseconds silence{3'000};     ///< Of silence; then the text is handed over, whatever it is.
    std::chrono::milliseconds age_max{15'000};    ///< From the first piece on, while speech goes on as well.
    std::size_t chars_min = 20;                   ///< Code points; a pause in a shorter text asks nothing.
    std::size_t bytes_max = 100'000;              ///< More are not collected: the text is handed over.
};

/** Why a text is handed over, or not yet. */
enum class speech_reason : std::uint8_t {
    waiting,            ///< Not handed over: speech goes on, or the silence is short.
    pause,              ///< Not handed over: a pause in a long enough text. `speech_buffer::judge` gets the answer.
    marked_complete,    ///< The recogniser of speech says that nothing follows.
    sentence_end,       ///< At the pause the text ends with a mark of punctuation.
    complete_thought,   ///< At the pause the text is a request ("can you"), a farewell ("thanks"), or judged complete.
    silence,
    too_old,
    too_long,
    forced,
};
BOOST_DESCRIBE_ENUM(speech_reason, waiting, pause, marked_complete, sentence_end, complete_thought, silence, too_old,
                    too_long, forced)

/** What is to be done with a buffer. */
struct speech_decision {
    speech_reason reason = speech_reason::waiting;
    std::string content{};  ///< The whole text; of `waiting` and `pause` so far.

    /** Whether the content is handed over; the buffer is empty then. */
    [[nodiscard]] bool is_ready() const noexcept { return reason > speech_reason::pause; }
};
BOOST_DESCRIBE_STRUCT(speech_decision, (), (reason, content))

/** The rule that says whether a text is a complete thought: it ends a sentence, begins as a request does, or ends as a
 *  farewell does. A pure function.
 *  @return   `sentence_end`, `complete_thought`, or `waiting` if it is none. */
[[nodiscard]] speech_reason complete_thought_in(std::string_view text);

/** Collects the pieces of speech until the text is worth an answer. A state machine without a clock: the caller passes
 *  the time and asks `next_look` when to call again. A plain value, which converts to JSON.
 *
 *  | what happens | what follows |
 *  |---|---|
 *  | a piece comes | it is kept, and nothing else |
 *  | silence for `pause`, and `chars_min` are there | `pause`, once: is the thought complete? See `judge` |
 *  | silence for `silence` | the text is handed over |
 *  | `age_max` since the first piece | the text is handed over, while speech goes on too |
 *
 *  @par Source   Sulla's stream buffer; unlike there, age counts from the first piece, so that a speaker who makes no
 *                pause is answered too.
 */
struct speech_buffer {
    /** A moment, since any fixed one. */
    using moment = std::chrono::milliseconds;

    std::string content{};   ///< The text so far.
    std::int64_t first = 0;  ///< When the first piece of it came, in milliseconds.
    std::int64_t last = 0;   ///< When the last one came.
    bool is_judged = false;  ///< The pause behind the last piece has been told.

    /** Takes a piece; pieces are joined by a space. Ready only when `is_last`, too old or too long.
     *  @param is_last   Nothing follows, and the recogniser knows it. */
    [[nodiscard]] speech_decision add(std::string_view piece, moment now, const speech_limits& limits = {},
                                      bool is_last = false);
    /** Says what time alone has made of the text. */
    [[nodiscard]] speech_decision look(moment now, const speech_limits& limits = {});
    /** The answer to `pause`. An answer about another text than that of now changes nothing: a piece came meanwhile.
     *  @param verdict   What `complete_thought_in` gives, or `complete_thought` if a model says so. */
    [[nodiscard]] speech_decision judge(std::string_view text, speech_reason verdict);
    /** When `look` is worth while; nothing while there is no text. */
    [[nodiscard]] std::optional<moment> next_look(const speech_limits& limits = {}) const;
    /** Hands over what there is, at once. */
    [[nodiscard]] speech_decision flush();

    [[nodiscard]] bool is_empty() const noexcept { return content.empty(); }
    /** Since the first piece; 0 without text. */
    [[nodiscard]] std::chrono::milliseconds age(moment now) const noexcept;

    friend bool operator==(const speech_buffer&, const speech_buffer&) = default;
};
BOOST_DESCRIBE_STRUCT(speech_buffer, (), (content, first, last, is_judged))

}  // namespace weft
