#pragma once

#include <weft/agent/conversation/training_conversation.hpp>
#include <weft/async/task.hpp>
#include <weft/store/checkpoint_store.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** What became of the last run of a thread. */
enum class thread_outcome : std::uint8_t {
    finished,
    failed,
    cancelled,
    unfinished,  ///< It runs, waits for answers, or its values were changed by hand since.
};
[[nodiscard]] std::string_view name_of(thread_outcome outcome) noexcept;

/** How far an export has come. */
struct training_export_counts {
    std::size_t threads = 0;         ///< That were looked at.
    std::size_t filtered = 0;        ///< Of these, that the filters left out.
    std::size_t without = 0;         ///< Of these, that have no conversation.
    std::size_t conversations = 0;   ///< That were written.
};

/** Which conversations are exported, and how. */
struct training_export_options {
    training_export_options() {}

    training_format format = training_format::openai;
    std::vector<thread_outcome> outcomes = {thread_outcome::finished};
    std::string graph = {};        ///< Only threads of this graph; empty: of all.
    std::string label = {};        ///< Only threads with a checkpoint of this name, as it was there; empty: the newest.
    std::string key = {};          ///< Of the state that has the conversation; empty: every one that has.
    std::string rating_key = {};   ///< Of the state that has a number;
    std::optional<double> rating_min = {};  ///< only threads where it is at least this.
    std::vector<secret_string> secrets = {};  ///< Hidden beside what `secret_scrubber` knows.
    /** Called after each thread. What it throws ends the export. */
    std::function<void(const training_export_counts&)> on_progress = {};
};

/** Writes the conversations of a store, one a line, as JSON for fine-tuning. Threads come by name.
 *
 *  @param write   Takes one line, without its end. What it throws ends the export.
 *  @return        What was done.
 *
 *  @par Errors         Those of the store; of `write`.
 *  @par Cancellation   Between two threads, and as the store says.
 *  @par Lifetimes      The store outlives the task. */
[[nodiscard]] task<training_export_counts> export_conversations(checkpoint_store& store, std::string tenant,
                                                                training_export_options options,
                                                                std::function<void(std::string_view)> write);

}  // namespace weft
