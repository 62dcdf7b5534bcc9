#pragma once

#include <weft/base/chrono.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** How closely what people send is looked at. The one place of these defaults. */
struct input_guard_limits {
    std::size_t chars_max = 100'000;                  ///< Code points; what is longer is cut.
    std::chrono::milliseconds gap_min{400};           ///< Between two messages of a thread.
    std::size_t burst_max = 12;                       ///< So many messages before it, within the window, are a burst.
    std::chrono::milliseconds burst_window{10'000};
    std::size_t capitals_min = 21;                    ///< A text of so many characters without a small letter shouts.
    std::size_t repeats_min = 16;                     ///< One character so often in a row.
    std::size_t words_min = 8;                        ///< Of fewer words none counts as repeated.
    double word_share_max = 0.7;                      ///< Of the commonest word among all.
};

/** A text as a model should get it: valid UTF-8, without what no person sees (`visible_text`) and without line and
 *  paragraph separators; runs of blanks are one, more than two line ends are two, none stands at either end. Longer
 *  texts end with `[truncated]`. */
[[nodiscard]] std::string sanitised_input(std::string_view text,
                                          std::size_t chars_max = input_guard_limits{}.chars_max);

/** What a text does that tries to give a model other orders. */
enum class injection_sign : std::uint8_t {
    ignore_instructions,     ///< "ignore (all) previous instructions"
    disregard_instructions,  ///< "disregard (all) (your) instructions"
    other_role,              ///< "you are now (a) new|different ai|assistant|bot"
    system_speaker,          ///< The word "system" with a colon behind it.
    instruction_mark,        ///< "[INST]"
    turn_mark,               ///< "<|im_start|>"
    jailbreak,               ///< "DAN", and "jailbreak" behind it.
};
BOOST_DESCRIBE_ENUM(injection_sign, ignore_instructions, disregard_instructions, other_role, system_speaker,
                    instruction_mark, turn_mark, jailbreak)

/** The signs in a text, in the order above, in any case and with any blanks. They are hints, never a reason to refuse:
 *  a person may well talk about such texts. */
[[nodiscard]] std::vector<injection_sign> injection_signs_in(std::string_view text);

/** Why a text looks like spam. */
enum class spam_sign : std::uint8_t {
    none,
    empty,
    shouting,            ///< Long, with letters, none of them small.
    repeated_character,
    repeated_word,
};
BOOST_DESCRIBE_ENUM(spam_sign, none, empty, shouting, repeated_character, repeated_word)

/** The first of these signs that a sanitised text shows. */
[[nodiscard]] spam_sign spam_sign_in(std::string_view text, const input_guard_limits& limits = {});

/** Why a message comes too fast. */
enum class rate_sign : std::uint8_t {
    none,
    too_soon,  ///< Less than `gap_min` after the one before.
    burst,     ///< `burst_max` others came within the window before it.
};
BOOST_DESCRIBE_ENUM(rate_sign, none, too_soon, burst)

/** When the last messages of a thread came. A plain value, so that it can live in a graph's state. */
struct message_times {
    static constexpr std::size_t remembered_max = 30;

    std::vector<std::int64_t> last{};  ///< Milliseconds since the epoch, oldest first.

    /** Notes a message, whatever it shows. @return What it shows with regard to those before it. */
    rate_sign take(std::chrono::milliseconds now, const input_guard_limits& limits = {});

    friend bool operator==(const message_times&, const message_times&) = default;
};
BOOST_DESCRIBE_STRUCT(message_times, (), (last))

/** What a look at a message found. */
struct input_findings {
    bool was_changed = false;  ///< By sanitising.
    bool was_cut = false;
    rate_sign rate = rate_sign::none;
    spam_sign spam = spam_sign::none;
    std::vector<injection_sign> injections{};

    friend bool operator==(const input_findings&, const input_findings&) = default;
};
BOOST_DESCRIBE_STRUCT(input_findings, (), (was_changed, was_cut, rate, spam, injections))

/** A message that was looked at. */
struct inspected_input {
    std::string text;  ///< Sanitised.
    input_findings found;
};

/** Looks at the newest message of a person. Nothing is refused here: the caller decides.
 *
 *  @param times   Of the thread; the message is noted.
 *  @param now     Since the epoch.
 *  @par Source    Sulla's input handler. */
[[nodiscard]] inspected_input inspect_input(std::string_view text, message_times& times, std::chrono::milliseconds now,
                                            const input_guard_limits& limits = {});

}  // namespace weft
