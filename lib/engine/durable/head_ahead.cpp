#include "head_ahead.hpp"

#include "engine/checkpoint/blob_gathering.hpp"
#include "engine/commit/store_call.hpp"

#include <weft/async/join.hpp>

#include <tuple>
#include <utility>

namespace weft {

namespace {

using checkpoint_detail::blob_table;

/** Null if there is no checkpoint, or it cannot be read: who needs it reads it again, and says why. */
task<std::shared_ptr<const head_ahead>> read_ahead(checkpoint_store& store, thread_key thread)
{
    std::shared_ptr<const head_ahead> result;
    store_answer<std::optional<checkpoint>> head = co_await answer_of(store.load(thread, std::nullopt));
    if (!head || !*head.value) co_return result;
    checkpoint from = **head.value;
    store_answer<blob_table> blobs =
        co_await answer_of(checkpoint_detail::gather_blobs(store, std::move(thread), std::move(from)));
    if (blobs) result = std::make_shared<const head_ahead>(std::move(**head.value), std::move(*blobs.value));
    co_return result;
}

}  // namespace

task<taken_run> take_and_read(checkpoint_store& store, thread_key thread, task<std::optional<run_claim>> claiming)
{
    task<std::shared_ptr<const head_ahead>> reading = read_ahead(store, std::move(thread));
    auto both = co_await join(std::move(claiming), std::move(reading));
    taken_run taken{std::move(std::get<0>(both)), std::move(std::get<1>(both))};
    co_return taken;
}

}  // namespace weft
