#include "threads.hpp"

#include "checkpoint_parents.hpp"
#include "serve/wire/checkpoint_text.hpp"
#include "serve/wire/views.hpp"

#include <weft/base/error.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/json/serialize.hpp>

#include <utility>

namespace weft::serve_detail {

task<stored_thread> require_thread(serve_core& core, thread_key key)
{
    if (key.thread.empty()) throw http_error{422, "invalid_thread", "the id of a thread must not be empty"};
    std::optional<stored_thread> found = co_await core.stores.service->threads().find(key);
    if (!found) throw http_error{404, "thread_not_found", "there is no thread '" + key.thread + "'"};
    co_return std::move(*found);
}

task<std::string> state_of(serve_core& core, thread_key thread, std::optional<std::int64_t> sequence)
{
    const stored_thread known = co_await require_thread(core, thread);
    if (sequence == 0 || (known.head == 0 && !sequence))
        co_return boost::json::serialize(empty_state_view(thread.thread, known.head != 0));
    // Questions belong to where the thread stands now, not to where it stood.
    std::vector<open_question> questions;
    const bool is_newest = !sequence || *sequence == known.head;
    if (is_newest) questions = co_await core.engine.questions(thread);
    try {
        thread_snapshot snapshot = co_await core.engine.read(thread, sequence);
        checkpoint_parents parents{core, thread};
        checkpoint_origin origin = co_await parents.of(snapshot.info());
        co_return co_await state_view_text(thread.thread, std::move(snapshot), std::move(origin), std::move(questions));
    } catch (const error& e) {
        if (e.code() != errc::thread_not_found) throw;
    }
    throw http_error{404, "checkpoint_not_found", "the thread has no such checkpoint"};
}

std::int64_t sequence_of(std::string_view checkpoint_id)
{
    const std::optional<std::int64_t> number = checkpoint_number(checkpoint_id);
    if (!number) throw http_error{404, "checkpoint_not_found", "the thread has no such checkpoint"};
    return *number;
}

}  // namespace weft::serve_detail
