#pragma once

#include <weft/agent/conversation/conversation.hpp>
#include <weft/base/chrono.hpp>
#include <weft/base/units.hpp>
#include <weft/chat/usage.hpp>
#include <weft/model/chat_request.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** When a lane is summarised, and how. */
struct summary_rules {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    summary_rules() {}

    std::size_t messages_max = 80;  ///< More in force than these: it is time.
    std::size_t messages_kept = 8;  ///< The newest so many are not summarised; no call is parted from its results.
    std::size_t batch_min = 3;      ///< Fewer messages are not worth a call.
    /** Older messages that the newest ten have words in common with stay, unless there are more than `messages_max`:
     *  beyond these only such are summarised that can be done without so well (`dispensability`), 0 to 1; Sulla: 0.7.
     *  Not given: the oldest are, whatever they say. */
    std::optional<double> score_min = {};
    std::size_t transcript_bytes_max = 12'000;  ///< What one call is given; the rest is for the next one.
    std::size_t message_bytes_max = 1'500;      ///< Of one message in it.
    tokens output_max{1'000};
    std::string model{};                        ///< Another model than the one that is called; empty: that one.
    std::uint32_t attempts_max = 3;
    std::chrono::milliseconds pause{2'000};     ///< After the first attempt; twice as long after the second.
    std::chrono::milliseconds timeout{60'000};  ///< Of one attempt.
    bool falls_back = true;  ///< If the model fails: the beginnings of the messages stand for them. Else all stays.
};

/** What a model is to summarise. */
struct summary_job {
    summary_job() {}

    std::string lane{};
    std::vector<entry_place> covers{};  ///< Oldest first.
    std::size_t messages = 0;           ///< How many of these are messages.
    std::size_t scored = 0;             ///< How many messages were compared with the newest; see `score_min`.
    chat_request request{};
    std::string fallback{};  ///< What stands for them if the model fails.
};

/** What came of a job; see `write_summary`. */
struct written_summary {
    written_summary() {}

    std::string text{};     ///< Empty if it failed.
    std::string failure{};  ///< Why, for people.
    std::uint32_t attempts = 0;
    weft::usage usage{};
};

/** What became of a summary. */
struct applied_summary {
    enum class outcome : std::uint8_t {
        applied,        ///< It stands in the conversation.
        fallen_back,    ///< The beginnings of the messages do.
        range_changed,  ///< Some of what it is about is no longer in force; nothing was done.
        failed,         ///< There is no text, and nothing to fall back to; nothing was done.
        stray,          ///< Nothing was under way; nothing was done.
    };
    outcome what = outcome::stray;
    std::optional<conversation_change> change{};  ///< For the state.
    std::size_t messages = 0;                     ///< That it stands for, if something was done.
    std::string why{};                            ///< For people, if nothing was done.
};

/** Decides when a lane is summarised in the background, what of it, and whether a summary that comes late still fits.
 *
 *      if (std::optional<weft::summary_job> job = plan.start(talk)) …run write_summary beside the work…
 *      …turns later…
 *      if (auto done = plan.finish(talk, written, by); done.change) node.set(key, *done.change);
 *
 *  There is one at a time: `start` gives nothing until `finish` or `abandon`. The oldest messages are summarised, those
 *  of earlier summaries with them; messages of the system, pinned ones and the latest of the user stay. What is said
 *  meanwhile does not matter. After a failure without fallback it rests until a quarter more messages have come.
 *
 *  A value without clock or I/O.
 *  @par Thread safety   None.
 *  @par Source          A node that is resumed with what happened and says what to do next: Boost.MySQL,
 *                       sansio_connection_node.
 */
class summary_plan {
public:
    explicit summary_plan(std::string lane = {}, summary_rules rules = {});

    /** @param is_urgent   It is time although there are few messages: they are long. */
    [[nodiscard]] std::optional<summary_job> start(const conversation& history, bool is_urgent = false);
    /** @param history   Is changed. @param by   Whose work the summary is; the lane is that of the plan. */
    [[nodiscard]] applied_summary finish(conversation& history, const written_summary& written, provenance by);
    /** The job was stopped. */
    void abandon() noexcept { job_.reset(); }

    [[nodiscard]] bool is_under_way() const noexcept { return job_.has_value(); }
    [[nodiscard]] const summary_rules& rules() const noexcept { return rules_; }

private:
    struct pending {
        std::vector<entry_place> covers;
        std::string fallback;
        std::size_t messages;
    };

    struct choice {
        std::vector<std::uint32_t> positions{};
        std::size_t scored = 0;
    };
    [[nodiscard]] choice choose(const conversation& history, bool by_score) const;

    std::string lane_;
    summary_rules rules_;
    std::optional<pending> job_;
    std::size_t rests_until_ = 0;  // so many messages
};

}  // namespace weft
