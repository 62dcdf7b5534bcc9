#pragma once

#include "store/store_place.hpp"

#include <weft/store/checkpoint_store.hpp>
#include <weft/store/record/checkpoint.hpp>
#include <weft/store/record/run_record.hpp>
#include <weft/store/record/thread_key.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace weft_cli {

/** A checkpoint of a thread; without a number the newest.
 *  @par Errors   `usage_error`: there is no such thread, naming those that there are, or no such checkpoint. */
[[nodiscard]] weft::task<weft::checkpoint> require_checkpoint(weft::checkpoint_store& store, const store_place& place,
                                                              weft::thread_key thread,
                                                              std::optional<std::int64_t> sequence = std::nullopt);

/** Fails for a thread that the store does not have. One that it has may be without checkpoints.
 *  @par Errors   `usage_error`. */
[[nodiscard]] weft::task<void> require_thread(weft::checkpoint_store& store, const store_place& place,
                                              weft::thread_key thread);

/** Always fails: there is no such thread, or it has nothing to go on from.
 *  @par Errors   `usage_error`. */
[[nodiscard]] weft::task<int> refuse_missing_thread(weft::checkpoint_store& store, const store_place& place,
                                                    std::string thread);

/** A checkpoint as people name it: `12` of this thread, `t-1@12` of another one, `t-1@` its newest.
 *  @par Errors   `usage_error`. */
[[nodiscard]] std::pair<weft::thread_key, std::optional<std::int64_t>> checkpoint_named(
    std::string_view option, const std::string& word, const weft::thread_key& otherwise);

/** How a thread stands, as far as its store knows. */
struct thread_status {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    thread_status() {}

    std::string word;                              ///< `finished`, `waiting`, `running`, `left`, …
    std::string detail;                            ///< E.g. `asks 2 questions`; empty if there is nothing to say.
    std::optional<weft::run_record> active = {};   ///< Its run that is ready, running or waiting.
    std::optional<weft::checkpoint_info> head = {};
    std::size_t questions = 0;                     ///< Without an answer.

    [[nodiscard]] std::string text() const { return detail.empty() ? word : word + ": " + detail; }
};

[[nodiscard]] weft::task<thread_status> status_of(weft::checkpoint_store& store, const store_place& place,
                                                  weft::thread_key thread);

}  // namespace weft_cli
