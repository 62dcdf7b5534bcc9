#include <weft/store/service/audit_log.hpp>

#include "document_fields.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/base/system/ids.hpp>

#include <utility>

namespace weft {

namespace {

using service_detail::object_of;
using service_detail::text_of;

constexpr const char* audit_kind = "audit";

audit_entry entry_of(const stored_document& document)
{
    const boost::json::object body = object_of(document.body, "audit entry");
    audit_entry entry;
    entry.tenant = document.key.tenant;
    entry.actor = text_of(body, "actor");
    entry.action = text_of(body, "action");
    entry.target = text_of(body, "target");
    entry.detail = service_detail::field_of(body, "detail");
    entry.at = document.created;
    return entry;
}

}  // namespace

task<void> audit_log::add(audit_entry entry, std::optional<std::chrono::milliseconds> lifetime)
{
    serial_loop& loop = co_await this_task::loop();
    std::vector<document_change> changes(1);
    // An id of its own, as two entries may say the same.
    id_source ids{loop.clock(), loop.random()};
    changes[0].key = {audit_kind, std::move(entry.tenant), ids.next().text()};
    changes[0].body = service_detail::text_of_object({{"actor", entry.actor},
                                                      {"action", entry.action},
                                                      {"target", entry.target},
                                                      {"detail", object_of(entry.detail, "detail")}});
    if (lifetime) changes[0].due = loop.clock().system_now() + *lifetime;
    const bool is_written = co_await documents_.write(std::move(changes));
    static_cast<void>(is_written);  // no revision is expected
}

task<audit_page> audit_log::search(audit_query query)
{
    boost::json::object wanted;
    if (query.actor) wanted["actor"] = *query.actor;
    if (query.action) wanted["action"] = *query.action;
    if (query.target) wanted["target"] = *query.target;
    document_query documents;
    documents.kind = audit_kind;
    documents.tenant = query.tenant;
    documents.contains = service_detail::text_of_object(wanted);
    documents.after = std::move(query.after);
    documents.count_max = query.count_max;
    const document_page found = co_await documents_.search(std::move(documents));
    audit_page page;
    for (const stored_document& each : found.documents) page.entries.push_back(entry_of(each));
    page.next = found.next;
    co_return page;
}

task<std::size_t> audit_log::sweep(std::size_t count_max)
{
    std::string kind = audit_kind;
    co_return co_await documents_.erase_due(std::move(kind), count_max);
}

}  // namespace weft
