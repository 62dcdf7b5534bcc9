#include "cron_orders.hpp"

#include <weft/net/text/digest.hpp>

#include "cron_body.hpp"
#include "serve/order/run_orders.hpp"
#include "serve/wire/views.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace weft::serve_detail {

namespace {

std::int64_t milliseconds_of(const cron& due)
{
    if (!due.next) return 0;
    return std::chrono::duration_cast<std::chrono::milliseconds>(due.next->time_since_epoch()).count();
}

std::string moment_key(const cron& due) { return "cron " + due.id + ' ' + std::to_string(milliseconds_of(due)); }

}  // namespace

run_id run_id_of(const cron& due)
{
    // A NUL stands in no name, so that no two crons have one text.
    const std::string named = due.tenant + '\0' + moment_key(due);
    const std::string digest = net_detail::sha256(named);
    unique_id id;
    const auto since = static_cast<std::uint64_t>(milliseconds_of(due));
    for (std::size_t i = 0; i < 6; ++i) id.bytes[i] = static_cast<std::uint8_t>(since >> (8 * (5 - i)));
    std::copy_n(digest.begin(), id.bytes.size() - 6, id.bytes.begin() + 6);
    // Version 7, and the variant of RFC 9562.
    id.bytes[6] = static_cast<std::uint8_t>((id.bytes[6] & 0x0f) | 0x70);
    id.bytes[8] = static_cast<std::uint8_t>((id.bytes[8] & 0x3f) | 0x80);
    return run_id{id};
}

task<void> begin_cron_run(serve_core& core, cron due)
{
    const run_id id = run_id_of(due);
    const std::optional<run_record> entered = co_await core.stores.runs->find_run(id);
    if (entered) co_return;
    const boost::json::object payload = object_in(due.input);
    run_body body = read_run_body(payload, stream_mode::values);
    if (!body.input) body.input.emplace();
    body.metadata["cron_id"] = due.id;
    const bool has_thread = !due.thread.empty();
    body.makes_thread = !has_thread;
    const bool forgets = !has_thread && payload_forgets_thread(payload);
    thread_key thread{has_thread ? due.thread : id.text(), due.tenant};
    run_order order = co_await order_in_thread(core, std::move(thread), std::move(body));
    order.id = id;
    order.idempotency_key = moment_key(due);
    order.forgets_thread = forgets;
    const std::shared_ptr<run_feed> feed = run_launcher{core}.launch(std::move(order));
    (void)co_await wait_for_entry(core, feed);
}

}  // namespace weft::serve_detail
