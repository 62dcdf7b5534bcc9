#pragma once

#include <weft/store/record/store_model.hpp>
#include <weft/store/record/store_tables.hpp>

#include <cstdint>
#include <string>

namespace weft::store_detail {

/** A `store_model` while an operation takes place: what the rules of its roles work on. */
struct model_access {
    store_tables& tables;
    const store_model_options& options;
    store_moment at;
};

[[nodiscard]] thread_row* find_thread(store_tables& tables, const thread_key& thread);
[[nodiscard]] const thread_row* find_thread(const store_tables& tables, const thread_key& thread);
/** A worker that was not given up and whose lifetime has not ended. */
[[nodiscard]] worker_row* living_worker(const model_access& store, worker_id worker);
/** Whether a run has made no checkpoint since its worker was lost. */
[[nodiscard]] bool is_suspect(const store_tables& tables, const run_row& run);

/** What of a fence has to hold. */
enum class compares { epoch, epoch_and_head };
[[nodiscard]] write_state may_write(const store_tables& tables, store_flaw flaw, const write_fence& fence,
                                    compares what);

/** @par Errors  `errc::store_full`. */
void require_space(const model_access& store, std::uint64_t bytes);
void account(const model_access& store, thread_row& thread, std::int64_t bytes) noexcept;

/** @par Errors  `errc::store_corrupt`, always. */
[[noreturn]] void throw_missing_blob(const std::string& thread, const content_hash& hash);

}  // namespace weft::store_detail
