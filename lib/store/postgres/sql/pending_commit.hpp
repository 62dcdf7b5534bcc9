#pragma once

#include <weft/store/checkpoint_store.hpp>
#include <weft/store/record/checkpoint.hpp>

#include <cstddef>

namespace weft::postgres_detail {

/** A checkpoint on its way to the server.
 *
 *  It becomes parameters of a statement when the batch that it goes out with is known: alone it has a statement of its
 *  own, and beside others it is a row of theirs.
 */
struct pending_commit {
    write_fence fence;
    checkpoint_draft draft;

    /** Whether it is nothing but a checkpoint: without events, and nothing is settled with it. */
    [[nodiscard]] bool is_plain() const noexcept { return draft.events.empty() && draft.settled.empty(); }
    /** Whether it may be a row among others: a null has no place there, and a run without an id is refused anyway. */
    [[nodiscard]] bool is_mergeable() const noexcept { return !fence.run.is_nil() && !draft.id.is_nil(); }
    /** What its parameters take, about. */
    [[nodiscard]] std::size_t bytes() const noexcept;
};

}  // namespace weft::postgres_detail
