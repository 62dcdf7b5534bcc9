#pragma once

#include "model_access.hpp"

#include <cstdint>
#include <string>

/** The rules of what `checkpoint_log` writes, on the tables of a `store_model`. */
namespace weft::store_detail {

[[nodiscard]] commit_result commit_checkpoint(const model_access& store, const write_fence& fence,
                                              checkpoint_draft draft);
[[nodiscard]] bool fork_thread(const model_access& store, const thread_key& from, std::int64_t sequence,
                               const thread_key& to, checkpoint_id id);
[[nodiscard]] bool label_checkpoint(const model_access& store, const thread_key& thread, std::int64_t sequence,
                                    std::string name);

}  // namespace weft::store_detail
