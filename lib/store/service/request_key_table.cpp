#include <weft/store/service/request_key_table.hpp>

#include "document_fields.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/base/error.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace weft {

namespace {

constexpr const char* request_kind = "request_key";
constexpr int claims_max = 8;

document_change request_change(const std::string& tenant, const std::string& key, std::string body, wall_time until)
{
    document_change change;
    change.key = {request_kind, tenant, key};
    change.body = std::move(body);
    change.due = until;
    return change;
}

std::string body_of_note(const std::string& note)
{
    boost::json::object body;
    body["note"] = service_detail::object_of(note, "note");
    return service_detail::text_of_object(body);
}

request_key_claim claim_in(const stored_document& found)
{
    request_key_claim claim;
    const boost::json::object body = service_detail::object_of(found.body, "request");
    const bool is_done = body.contains("result");
    claim.state = is_done ? request_key_state::done : request_key_state::running;
    if (is_done) claim.result = service_detail::field_of(body, "result");
    // Former releases have noted nothing.
    if (body.contains("note")) claim.note = service_detail::field_of(body, "note");
    claim.revision = found.revision;
    return claim;
}

task<wall_time> wall_time_now()
{
    serial_loop& loop = co_await this_task::loop();
    co_return loop.clock().system_now();
}

}  // namespace

task<request_key_claim> request_key_table::claim(std::string tenant, std::string key,
                                                 std::chrono::milliseconds lifetime, std::string note)
{
    const wall_time now = co_await wall_time_now();
    // A write that loses against another one is followed by a look at what that one wrote.
    for (int attempt = 0; attempt < claims_max; ++attempt) {
        document_key which{request_kind, tenant, key};
        const std::optional<stored_document> found = co_await documents_.read(std::move(which));
        const bool is_over = found && found->due && *found->due <= now;
        request_key_claim known = found ? claim_in(*found) : request_key_claim{};
        if (found && !is_over) co_return known;
        request_key_claim taken;
        taken.is_left = found && known.state == request_key_state::running;
        taken.note = taken.is_left ? known.note : note;
        std::vector<document_change> changes{request_change(tenant, key, body_of_note(taken.note), now + lifetime)};
        changes[0].expected = found ? found->revision : 0;
        const bool is_ours = co_await documents_.write(std::move(changes));
        if (is_ours) co_return taken;
    }
    throw error{errc::store_unavailable, "idempotency key " + key, "it comes and goes: try again"};
}

task<bool> request_key_table::retake(std::string tenant, std::string key, std::uint64_t revision,
                                     std::chrono::milliseconds lifetime, std::string note)
{
    const wall_time now = co_await wall_time_now();
    std::vector<document_change> changes{request_change(tenant, key, body_of_note(note), now + lifetime)};
    changes[0].expected = revision;
    co_return co_await documents_.write(std::move(changes));
}

task<void> request_key_table::settle(std::string tenant, std::string key, std::string result,
                                     std::chrono::milliseconds lifetime)
{
    boost::json::object body;
    body["result"] = service_detail::object_of(result, "result");
    const wall_time now = co_await wall_time_now();
    std::vector<document_change> changes{
        request_change(tenant, key, service_detail::text_of_object(body), now + lifetime)};
    const bool is_written = co_await documents_.write(std::move(changes));
    static_cast<void>(is_written);  // it expects nothing
}

task<void> request_key_table::release(std::string tenant, std::string key)
{
    std::vector<document_change> changes(1);
    changes[0].key = {request_kind, std::move(tenant), std::move(key)};
    const bool is_written = co_await documents_.write(std::move(changes));
    static_cast<void>(is_written);
}

task<std::size_t> request_key_table::sweep(std::size_t count_max)
{
    return documents_.erase_due(request_kind, count_max);
}

}  // namespace weft
