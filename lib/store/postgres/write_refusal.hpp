#pragma once

#include "store/postgres/wire/pg_core.hpp"

#include <weft/store/record/run_record.hpp>

namespace weft::postgres_detail {

/** Why a write was refused: another holder has the thread, or its history has grown. `head` is that of now.
 *  @param core   Outlives the task. */
[[nodiscard]] task<commit_result> explain_refusal(pg_core& core, write_fence fence);

}  // namespace weft::postgres_detail
