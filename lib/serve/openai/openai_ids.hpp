#pragma once

#include <weft/base/system/ids.hpp>
#include <weft/store/record/checkpoint.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::serve_detail {

// Ids of OpenAI's protocols are those of runs, threads and messages with the prefix that clients expect: nothing is
// looked up in a table.

/** A response: a run, or what it did since it was last answered.
 *
 *      resp_019ab…          what the run did from its start
 *      resp_019ab…_57       what it did behind the event 57, when an answer let it go on */
struct response_id {
    run_id run = {};
    std::uint64_t after = 0;

    [[nodiscard]] std::string text() const;
    /** Nothing: it is none. */
    [[nodiscard]] static std::optional<response_id> parse(std::string_view text);

    friend bool operator==(const response_id&, const response_id&) = default;
};

[[nodiscard]] std::string completion_id_of(run_id run);
[[nodiscard]] std::string conversation_id_of(std::string_view thread);
/** The thread of a conversation; threads that other protocols made are named by their own id as well. */
[[nodiscard]] std::string thread_of_conversation(std::string_view conversation);

/** The id of the call that stands for a question: another one in each run, so that a late answer meets none. */
[[nodiscard]] std::string question_call_id(run_id run, std::string_view address);
/** The name of the function that stands for questions of graphs. */
inline constexpr std::string_view question_function = "weft_question";

/** Seconds since 1970. */
[[nodiscard]] std::int64_t unix_seconds(wall_time at) noexcept;

}  // namespace weft::serve_detail
