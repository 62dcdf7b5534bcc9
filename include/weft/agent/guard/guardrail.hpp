#pragma once

#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/base/error.hpp>
#include <weft/base/list.hpp>
#include <weft/chat/message.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft {

class node_context;

/** What a guardrail looks at. */
enum class guard_stage : std::uint8_t {
    input,        ///< What a user or a program says to a model.
    output,       ///< What a model answers.
    tool_call,    ///< The arguments of a call that a model wants made.
    tool_result,  ///< What a tool gave back, before a model reads it.
};
BOOST_DESCRIBE_ENUM(guard_stage, input, output, tool_call, tool_result)

[[nodiscard]] std::string_view name_of(guard_stage stage) noexcept;

/** What a guardrail is given to look at. */
struct guard_subject {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    guard_subject() {}
    guard_subject(guard_stage where, std::string what) : stage{where}, text{std::move(what)} {}

    guard_stage stage = guard_stage::input;
    std::string text;         ///< What is judged; the arguments of a tool call as JSON.
    std::string before;       ///< Of a reply that is still being written: the end of what came before `text`.
    bool is_whole = true;     ///< False: `text` is a piece of a reply that is still being written.
    list<message> messages;   ///< The conversation that the model is asked with; empty at the stages of tools.
    weft::tool_call call;     ///< At the stages of tools.
    node_context* node = nullptr;  ///< To read the state of the run; null outside a graph. Valid until the check ends.
};

/** What comes of a check. */
enum class guard_action : std::uint8_t {
    pass,
    replace,  ///< Another text goes on instead. Not on input, and only by guardrails that come `first`.
    refuse,   ///< At the stages of tools: the model reads why, and goes on. Elsewhere as `trip`.
    trip,     ///< The work is stopped, and fails with a `guardrail_error`.
};
BOOST_DESCRIBE_ENUM(guard_action, pass, replace, refuse, trip)

[[nodiscard]] std::string_view name_of(guard_action action) noexcept;

/** What a guardrail says. A plain value that converts to and from JSON. */
struct guard_verdict {
    guard_verdict() {}

    [[nodiscard]] static guard_verdict pass() { return {}; }
    [[nodiscard]] static guard_verdict replace(std::string text) { return {guard_action::replace, std::move(text)}; }
    /** @param words   For the model. */
    [[nodiscard]] static guard_verdict refuse(std::string words) { return {guard_action::refuse, std::move(words)}; }
    /** @param reason   For people and logs; a model never reads it. */
    [[nodiscard]] static guard_verdict trip(std::string reason) { return {guard_action::trip, std::move(reason)}; }

    guard_action action = guard_action::pass;
    std::string text{};  ///< The other text, the words or the reason.

    friend bool operator==(const guard_verdict&, const guard_verdict&) = default;

private:
    guard_verdict(guard_action what, std::string why) : action{what}, text{std::move(why)} {}
};
BOOST_DESCRIBE_STRUCT(guard_verdict, (), (action, text))

/** When a guardrail looks. */
enum class guard_timing : std::uint8_t {
    beside,  ///< Side by side with the others and, on input, with the call of the model.
    first,   ///< Before these, one after the other: for what is cheap, what may replace a text, what must cost nothing
             ///< when it trips.
};
BOOST_DESCRIBE_ENUM(guard_timing, beside, first)

/** What a check that fails (an error, no answer in time, an answer that is none) means. */
enum class guard_failure : std::uint8_t {
    trip,  ///< As if it had tripped.
    pass,  ///< As if it had passed; watchers are told.
};
BOOST_DESCRIBE_ENUM(guard_failure, trip, pass)

/** A check of what goes into a model or a tool or comes out of it, by a function, a model or anything else.
 *
 *  @par Thread safety   One object serves all runs on all OS threads; `check` must bear that.
 */
struct guardrail {
    /** Not a lambda that is a coroutine and captures: it may be called for a copy of this object that is gone. */
    using function = std::function<task<guard_verdict>(guard_subject)>;

    std::string name = {};   ///< Unlike those of the others; for people, events and journals.
    function check = {};
    guard_timing timing = guard_timing::beside;
    guard_failure on_failure = guard_failure::trip;
    std::chrono::nanoseconds timeout = std::chrono::seconds{10};  ///< Of one check; 0: none.
    /** Where a run writes its effects down, a verdict is not asked for twice: for checks that cost. Those of pieces of
     *  a reply that is being written are not kept. */
    bool once = false;
};

namespace guard_detail {

template <class F>
task<guard_verdict> call_check(F check, guard_subject subject)
{
    co_return check(std::as_const(subject));
}

}  // namespace guard_detail

/** A guardrail of a plain function on `const guard_subject&` that gives a verdict, or of one on `guard_subject` that
 *  gives a task of it. */
template <class F>
    requires std::is_invocable_r_v<guard_verdict, const F&, const guard_subject&> ||
             std::is_invocable_r_v<task<guard_verdict>, const F&, guard_subject>
[[nodiscard]] guardrail make_guardrail(std::string name, F check, guard_timing timing = guard_timing::beside)
{
    guardrail result{.name = std::move(name), .timing = timing};
    if constexpr (std::is_invocable_r_v<task<guard_verdict>, const F&, guard_subject>)
        result.check = std::move(check);
    else
        result.check = [check = std::move(check)](guard_subject subject) {
            return guard_detail::call_check(check, std::move(subject));
        };
    return result;
}

/** What watchers see of a reply while its output guardrails have not passed. */
enum class guard_release : std::uint8_t {
    whole,    ///< Nothing; then the reply as one piece.
    pieces,   ///< Piece by piece, each when the guardrails have passed it. The whole is checked too.
    at_once,  ///< Everything as it comes; it is taken back (`retract`) when a guardrail trips.
};
BOOST_DESCRIBE_ENUM(guard_release, whole, pieces, at_once)

/** The guardrails of a model or of tools. */
struct guardrails {
    std::vector<guardrail> input = {};
    std::vector<guardrail> output = {};
    std::vector<guardrail> tool_call = {};
    std::vector<guardrail> tool_result = {};

    guard_release release = guard_release::whole;
    std::size_t piece_bytes = 400;      ///< With `pieces`: a piece is checked when it has so many; at least 1.
    std::size_t before_bytes_max = 400; ///< With `pieces`: so much of what came before goes along.
    /** Of a reply that is waiting for guardrails; then the model is read no further until they have caught up. */
    std::size_t held_bytes_max = std::size_t{256} * 1024;

    /** What is wrong with them: a name that is empty or used twice in a stage, a check that is missing, pieces
     *  that are larger than what is held; empty if nothing is. */
    [[nodiscard]] std::string fault() const;
};

/** Why a guardrail stopped the work. */
struct guard_trip {
    guard_trip() {}

    std::string guardrail{};
    guard_stage stage = guard_stage::input;
    std::string reason{};
    bool has_failed = false;  ///< The check itself failed, and its policy is to trip.
};

/** `errc::guardrail_tripped` with what is known about it. */
class guardrail_error : public error {
public:
    /** @param where   The node or the model. */
    guardrail_error(std::string where, guard_trip trip);
    [[nodiscard]] const guard_trip& trip() const noexcept { return trip_; }

private:
    guard_trip trip_;
};

/** What a guardrail stopped, if that is behind an exception, e.g. behind `failure::cause`; null if it is not. */
[[nodiscard]] const guard_trip* find_trip(const std::exception_ptr& cause) noexcept;

}  // namespace weft
