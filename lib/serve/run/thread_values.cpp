#include "thread_values.hpp"

#include "serve/state/state_text.hpp"

#include <optional>
#include <string>
#include <utility>

namespace weft::serve_detail {

namespace {

constexpr std::size_t searchable_bytes_max = 32 * 1024;  // of a state

}  // namespace

task<void> note_values(serve_core& core, thread_key thread, const state& values)
{
    std::optional<std::string> json = short_state_text(values, searchable_bytes_max);
    if (!json) co_return;
    thread_change change;
    change.values = std::move(*json);
    (void)co_await core.stores.service->threads().update(std::move(thread), std::move(change));
}

}  // namespace weft::serve_detail
