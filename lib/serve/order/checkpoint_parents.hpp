#pragma once

#include "serve/run/serve_core.hpp"
#include "serve/wire/views.hpp"

#include <weft/async/task.hpp>
#include <weft/store/record/checkpoint.hpp>
#include <weft/store/record/thread_key.hpp>

#include <cstdint>
#include <map>
#include <optional>

namespace weft::serve_detail {

/** Which checkpoint each one follows, as clients draw it. In the store a thread is one line; a run that began at an
 *  older checkpoint, or a change of the state there, is a branch from it.
 *
 *  @par Lifetimes   The core outlives it, and it its tasks. */
class checkpoint_parents {
public:
    checkpoint_parents(serve_core& core, thread_key thread) : core_{core}, thread_{std::move(thread)} {}

    /** @param before   The checkpoint before it in the thread, if it is known.
     *  @return         Where the one that it follows is. */
    [[nodiscard]] task<checkpoint_origin> of(checkpoint_info info,
                                             std::optional<checkpoint_info> before = std::nullopt);

private:
    [[nodiscard]] task<std::int64_t> parent_of(checkpoint_info info, std::optional<checkpoint_info> before);
    /** Where a run began; nothing: where the thread stood. */
    [[nodiscard]] task<std::optional<std::int64_t>> beginning_of(run_id run);

    serve_core& core_;
    thread_key thread_;
    std::map<run_id, std::optional<std::int64_t>> known_;
};

}  // namespace weft::serve_detail
