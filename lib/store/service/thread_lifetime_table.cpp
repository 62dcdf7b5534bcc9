#include <weft/store/service/thread_lifetime_table.hpp>

#include "document_fields.hpp"

#include <weft/async/loop/serial_loop.hpp>

#include <string>
#include <utility>

namespace weft {

namespace {

constexpr const char* lifetime_kind = "thread_lifetime";
constexpr std::chrono::minutes taken_for{1};

document_key place_of_lifetime(const thread_key& thread) { return {lifetime_kind, thread.tenant, thread.thread}; }

std::uint64_t micros_of(wall_time at)
{
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(at.time_since_epoch()).count());
}

wall_time moment_of(const boost::json::object& body, std::string_view member)
{
    const std::chrono::microseconds since{static_cast<std::int64_t>(service_detail::number_of(body, member))};
    return wall_time{std::chrono::duration_cast<wall_time::duration>(since)};
}

thread_lifetime lifetime_of(const stored_document& document)
{
    const boost::json::object body = service_detail::object_of(document.body, "thread_lifetime");
    thread_lifetime result;
    result.thread = thread_key{document.key.id, document.key.tenant};
    result.created = moment_of(body, "created");
    result.ends = moment_of(body, "ends");
    result.lifetime = std::chrono::milliseconds{service_detail::number_of(body, "milliseconds")};
    result.at_end = service_detail::text_of(body, "end") == "erase" ? thread_end::erase : thread_end::keep_newest;
    return result;
}

bool is_of(const thread_lifetime& lifetime, const stored_thread& thread)
{
    return micros_of(lifetime.created) == micros_of(thread.created);
}

}  // namespace

task<void> thread_lifetime_table::set(stored_thread of, std::chrono::milliseconds lifetime, thread_end at_end)
{
    const serial_loop& loop = co_await this_task::loop();
    const wall_time ends = loop.clock().system_now() + lifetime;
    std::vector<document_change> changes(1);
    changes[0].key = place_of_lifetime(of.thread);
    changes[0].due = ends;
    // `take_due` moves the moment of the document, so that the end of the lifetime stands in it as well.
    changes[0].body = service_detail::text_of_object({{"created", micros_of(of.created)},
                                                      {"ends", micros_of(ends)},
                                                      {"milliseconds", lifetime.count()},
                                                      {"end", at_end == thread_end::erase ? "erase" : "keep_newest"}});
    const bool is_written = co_await documents_.write(std::move(changes));
    static_cast<void>(is_written);  // it expects nothing
}

task<std::optional<thread_lifetime>> thread_lifetime_table::find(stored_thread of)
{
    const std::optional<stored_document> document = co_await documents_.read(place_of_lifetime(of.thread));
    std::optional<thread_lifetime> found;
    if (document) found = lifetime_of(*document);
    if (found && !is_of(*found, of)) found.reset();
    co_return found;
}

task<std::vector<thread_lifetime>> thread_lifetime_table::take_due(std::size_t count_max)
{
    std::string kind = lifetime_kind;
    const std::vector<stored_document> due = co_await documents_.take_due(std::move(kind), taken_for, count_max);
    std::vector<thread_lifetime> result;
    for (const stored_document& document : due) result.push_back(lifetime_of(document));
    co_return result;
}

task<void> thread_lifetime_table::clear(thread_lifetime ended)
{
    const document_key place = place_of_lifetime(ended.thread);
    const std::optional<stored_document> document = co_await documents_.read(place);
    if (!document || micros_of(lifetime_of(*document).ends) != micros_of(ended.ends)) co_return;
    std::vector<document_change> changes(1);
    changes[0].key = place;
    changes[0].expected = document->revision;
    const bool is_written = co_await documents_.write(std::move(changes));
    static_cast<void>(is_written);  // if not, something was said since then, which counts
}

}  // namespace weft
