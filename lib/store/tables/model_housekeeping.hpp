#pragma once

#include "model_access.hpp"

/** The rules of what `store_housekeeping` removes, on the tables of a `store_model`. */
namespace weft::store_detail {

prune_report prune_thread(const model_access& store, const thread_key& thread, const retention& what);
[[nodiscard]] bool drop_thread(const model_access& store, const thread_key& thread);

}  // namespace weft::store_detail
