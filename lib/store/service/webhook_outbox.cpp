#include <weft/store/service/webhook_outbox.hpp>

#include "document_fields.hpp"
#include "store/record/outbox_document.hpp"

#include <weft/async/loop/serial_loop.hpp>

#include <optional>
#include <utility>

namespace weft {

namespace {

using service_detail::object_of;

using store_detail::outbox_kind;

// Dead messages are of the same kind, so that no second one of their id is added; they have no time.
std::string body_of_message(const outbox_message& message, bool is_dead)
{
    store_detail::outbox_document document;
    document.url = message.url;
    document.payload = object_of(message.payload, "payload");
    document.attempts = message.attempts;
    document.last_error = message.last_error;
    document.is_dead = is_dead;
    return store_detail::text_of(std::move(document));
}

outbox_message message_of(const stored_document& document)
{
    const boost::json::object body = object_of(document.body, "message");
    outbox_message message;
    message.tenant = document.key.tenant;
    message.id = document.key.id;
    message.url = service_detail::text_of(body, "url");
    message.payload = service_detail::field_of(body, "payload");
    message.attempts = service_detail::number_of(body, "attempts");
    message.last_error = service_detail::text_of(body, "last_error");
    message.revision = document.revision;
    return message;
}

document_change message_change(const outbox_message& message, std::uint64_t expected)
{
    document_change change;
    change.key = {outbox_kind, message.tenant, message.id};
    change.expected = expected;
    return change;
}

}  // namespace

task<bool> webhook_outbox::add(outbox_message message)
{
    serial_loop& loop = co_await this_task::loop();
    // Revision 0: only if there is none of this id, so that a repeated call adds nothing.
    std::vector<document_change> changes{message_change(message, 0)};
    changes[0].body = body_of_message(message, false);
    changes[0].due = loop.clock().system_now();
    co_return co_await documents_.write(std::move(changes));
}

task<std::vector<outbox_message>> webhook_outbox::take(std::chrono::milliseconds lease, std::size_t count_max)
{
    const std::vector<stored_document> due = co_await documents_.take_due(outbox_kind, lease, count_max);
    std::vector<outbox_message> taken;
    for (const stored_document& each : due) taken.push_back(message_of(each));
    co_return taken;
}

task<bool> webhook_outbox::delivered(outbox_message taken)
{
    // A process that took it since has changed the revision; then it stays.
    std::vector<document_change> changes{message_change(taken, taken.revision)};
    co_return co_await documents_.write(std::move(changes));
}

task<outbox_state> webhook_outbox::failed(outbox_message taken, std::string why, retry_policy retries)
{
    serial_loop& loop = co_await this_task::loop();
    taken.attempts += 1;
    taken.last_error = std::move(why);
    const bool is_dead = taken.attempts >= static_cast<std::uint64_t>(retries.attempts_max);
    std::vector<document_change> changes{message_change(taken, taken.revision)};
    changes[0].body = body_of_message(taken, is_dead);
    // A dead message has no time: `take` does not see it.
    if (!is_dead) {
        const auto delay = retries.delay_before(static_cast<int>(taken.attempts) + 1, loop.random().uniform());
        changes[0].due = loop.clock().system_now() + std::chrono::duration_cast<wall_time::duration>(delay);
    }
    const bool is_written = co_await documents_.write(std::move(changes));
    if (!is_written) co_return outbox_state::lost;
    co_return is_dead ? outbox_state::dead : outbox_state::again;
}

task<std::vector<outbox_message>> webhook_outbox::dead(std::string tenant, std::size_t count_max)
{
    document_query query;
    query.kind = outbox_kind;
    query.tenant = std::move(tenant);
    query.contains = R"({"is_dead": true})";
    query.count_max = count_max;
    const document_page page = co_await documents_.search(std::move(query));
    std::vector<outbox_message> found;
    for (const stored_document& each : page.documents) found.push_back(message_of(each));
    co_return found;
}

task<bool> webhook_outbox::revive(std::string tenant, std::string id)
{
    document_key key{outbox_kind, std::move(tenant), std::move(id)};
    const std::optional<stored_document> found = co_await documents_.read(std::move(key));
    if (!found || !object_of(found->body, "message")["is_dead"].as_bool()) co_return false;
    outbox_message message = message_of(*found);
    message.attempts = 0;
    serial_loop& loop = co_await this_task::loop();
    std::vector<document_change> changes{message_change(message, found->revision)};
    changes[0].body = body_of_message(message, false);
    changes[0].due = loop.clock().system_now();
    co_return co_await documents_.write(std::move(changes));
}

}  // namespace weft
