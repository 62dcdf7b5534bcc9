#include <weft/store/service/cron_table.hpp>

#include "document_fields.hpp"

#include <utility>

namespace weft {

namespace {

using service_detail::field_of;
using service_detail::number_of;
using service_detail::object_of;
using service_detail::text_of;

constexpr const char* cron_kind = "cron";

// What all stores keep of a time.
std::int64_t microseconds_of(wall_time time)
{
    return std::chrono::floor<std::chrono::microseconds>(time.time_since_epoch()).count();
}

void put_moment(boost::json::object& body, const char* name, std::optional<wall_time> moment)
{
    if (moment) body[name] = microseconds_of(*moment);
}

std::optional<wall_time> moment_in(const boost::json::object& body, const char* name)
{
    if (!body.contains(name)) return std::nullopt;
    const std::chrono::microseconds since{static_cast<std::int64_t>(number_of(body, name))};
    return wall_time{std::chrono::duration_cast<wall_time::duration>(since)};
}

std::optional<wall_time> due_of(const cron& from)
{
    const bool is_over = from.next && from.end && *from.next >= *from.end;
    return from.is_enabled && !is_over ? from.next : std::nullopt;
}

/** The document of a cron. The next moment is in its body too, since a lease puts off the time that it is due. */
document_change change_to(const cron& from, std::uint64_t expected)
{
    boost::json::object body{{"graph", from.graph},
                             {"assistant", from.assistant},
                             {"thread", from.thread},
                             {"schedule", from.schedule},
                             {"time_zone", from.time_zone},
                             {"input", object_of(from.input, "input")},
                             {"metadata", object_of(from.metadata, "metadata")},
                             {"is_enabled", from.is_enabled ? 1 : 0},
                             {"missed", static_cast<int>(from.missed)}};
    put_moment(body, "next", from.next);
    put_moment(body, "end", from.end);
    document_change change;
    change.key = {cron_kind, from.tenant, from.id};
    change.body = service_detail::text_of_object(body);
    change.due = due_of(from);
    change.expected = expected;
    return change;
}

cron cron_of(const stored_document& document)
{
    const boost::json::object body = object_of(document.body, "cron");
    cron found;
    found.tenant = document.key.tenant;
    found.id = document.key.id;
    found.graph = text_of(body, "graph");
    found.assistant = text_of(body, "assistant");
    found.thread = text_of(body, "thread");
    found.schedule = text_of(body, "schedule");
    found.time_zone = text_of(body, "time_zone");
    found.input = field_of(body, "input");
    found.metadata = field_of(body, "metadata");
    found.is_enabled = number_of(body, "is_enabled") != 0;
    if (body.contains("missed")) found.missed = static_cast<cron_missed>(number_of(body, "missed"));
    found.next = moment_in(body, "next");
    found.end = moment_in(body, "end");
    found.revision = document.revision;
    found.created = document.created;
    found.changed = document.changed;
    return found;
}

document_query documents_for(const cron_query& query)
{
    boost::json::object wanted;
    if (query.graph) wanted["graph"] = *query.graph;
    if (query.assistant) wanted["assistant"] = *query.assistant;
    if (query.thread) wanted["thread"] = *query.thread;
    if (query.is_enabled) wanted["is_enabled"] = *query.is_enabled ? 1 : 0;
    const boost::json::object metadata = object_of(query.metadata_contains, "filter");
    if (!metadata.empty()) wanted["metadata"] = metadata;
    document_query found;
    found.kind = cron_kind;
    found.tenant = query.tenant;
    found.contains = service_detail::text_of_object(wanted);
    found.after = query.after;
    found.count_max = query.count_max;
    return found;
}

}  // namespace

task<bool> cron_table::create(cron made)
{
    std::vector<document_change> changes{change_to(made, 0)};
    co_return co_await documents_.write(std::move(changes));
}

task<std::optional<cron>> cron_table::find(std::string tenant, std::string id)
{
    document_key key{cron_kind, std::move(tenant), std::move(id)};
    const std::optional<stored_document> document = co_await documents_.read(std::move(key));
    std::optional<cron> found;
    if (document) found = cron_of(*document);
    co_return found;
}

task<bool> cron_table::update(cron changed)
{
    // Revision 0 would make one that was erased meanwhile again.
    if (changed.revision == 0) co_return false;
    std::vector<document_change> changes{change_to(changed, changed.revision)};
    co_return co_await documents_.write(std::move(changes));
}

task<std::vector<cron>> cron_table::take(std::chrono::milliseconds lease, std::size_t count_max)
{
    std::string kind = cron_kind;
    const std::vector<stored_document> due = co_await documents_.take_due(std::move(kind), lease, count_max);
    std::vector<cron> taken;
    for (const stored_document& each : due) {
        taken.push_back(cron_of(each));
        // The lease ends so long after now, by the clock of the store.
        if (each.due) taken.back().taken = *each.due - lease;
    }
    co_return taken;
}

task<bool> cron_table::ran(cron taken, std::optional<wall_time> next)
{
    taken.next = next;
    co_return co_await update(std::move(taken));
}

task<bool> cron_table::run_now(std::string tenant, std::string id)
{
    std::optional<cron> known = co_await find(tenant, id);
    if (!known || !known->is_enabled) co_return false;
    // A write tells the time of the store.
    const std::uint64_t before = known->revision;
    const bool is_touched = co_await update(std::move(*known));
    if (!is_touched) co_return false;
    known = co_await find(std::move(tenant), std::move(id));
    if (!known || known->revision != before + 1) co_return false;
    known->next = known->changed;
    co_return co_await update(std::move(*known));
}

task<bool> cron_table::erase(std::string tenant, std::string id)
{
    document_key key{cron_kind, std::move(tenant), std::move(id)};
    const std::optional<stored_document> found = co_await documents_.read(key);
    if (!found) co_return false;
    std::vector<document_change> changes(1);
    changes[0].key = std::move(key);
    // Whatever changed it meanwhile: it is to be gone.
    co_return co_await documents_.write(std::move(changes));
}

task<cron_page> cron_table::search(cron_query query)
{
    const document_page found = co_await documents_.search(documents_for(query));
    cron_page page;
    for (const stored_document& each : found.documents) page.crons.push_back(cron_of(each));
    page.next = found.next;
    co_return page;
}

task<std::size_t> cron_table::count(cron_query query)
{
    co_return co_await documents_.count(documents_for(query));
}

}  // namespace weft
