#include <weft/store/service/assistant_registry.hpp>

#include "document_fields.hpp"

#include <weft/base/error.hpp>
#include <weft/store/record/store_limits.hpp>

#include <utility>

namespace weft {

namespace {

using service_detail::field_of;
using service_detail::number_of;
using service_detail::object_of;
using service_detail::text_of;

constexpr const char* assistant_kind = "assistant";
constexpr const char* version_kind = "assistant_version";
constexpr int attempts_max = 8;

// One assistant's versions are a tenant of their kind, so that they are listed without those of others.
document_key version_key(const std::string& tenant, const std::string& id, std::uint64_t version)
{
    std::string digits = std::to_string(version);
    digits.insert(0, 20 - digits.size(), '0');  // so that names stand in the order of numbers
    return {version_kind, std::to_string(tenant.size()) + ':' + tenant + id, std::move(digits)};
}

boost::json::object body_of(const assistant& from, std::uint64_t newest)
{
    return {{"graph", from.graph},
            {"name", from.name},
            {"description", from.description},
            {"config", object_of(from.config, "config")},
            {"metadata", object_of(from.metadata, "metadata")},
            {"version", from.version},
            {"newest", newest}};
}

assistant assistant_of(const std::string& tenant, const std::string& id, const stored_document& document)
{
    const boost::json::object body = object_of(document.body, "assistant");
    assistant found;
    found.tenant = tenant;
    found.id = id;
    found.graph = text_of(body, "graph");
    found.name = text_of(body, "name");
    found.description = text_of(body, "description");
    found.config = field_of(body, "config");
    found.metadata = field_of(body, "metadata");
    found.version = number_of(body, "version");
    found.created = document.created;
    found.changed = document.changed;
    return found;
}

document_change change_to(document_key key, const boost::json::object& body, std::optional<std::uint64_t> expected)
{
    document_change change;
    change.key = std::move(key);
    change.body = service_detail::text_of_object(body);
    change.expected = expected;
    return change;
}

document_query documents_for(const assistant_query& query)
{
    boost::json::object wanted;
    if (query.graph) wanted["graph"] = *query.graph;
    const boost::json::object metadata = object_of(query.metadata_contains, "filter");
    if (!metadata.empty()) wanted["metadata"] = metadata;
    document_query found;
    found.kind = assistant_kind;
    found.tenant = query.tenant;
    found.contains = service_detail::text_of_object(wanted);
    found.order = query.order;
    found.after = query.after;
    found.count_max = query.count_max;
    return found;
}

document_query versions_of(const std::string& tenant, const std::string& id, std::size_t count_max)
{
    document_query query;
    query.kind = version_kind;
    query.tenant = version_key(tenant, id, 0).tenant;
    query.order = list_order::newest_first;
    query.count_max = count_max;
    return query;
}

std::uint64_t newest_of(const stored_document& document)
{
    return number_of(object_of(document.body, "assistant"), "newest");
}

[[noreturn]] void give_up(const std::string& id)
{
    throw error{errc::store_outcome_unknown, "assistant " + id, "others change it again and again: try again"};
}

}  // namespace

task<bool> assistant_registry::create(assistant made)
{
    made.version = 1;
    const boost::json::object body = body_of(made, 1);
    std::vector<document_change> changes;
    changes.push_back(change_to({assistant_kind, made.tenant, made.id}, body, 0));
    changes.push_back(change_to(version_key(made.tenant, made.id, 1), body, std::nullopt));
    co_return co_await documents_.write(std::move(changes));
}

task<std::optional<assistant>> assistant_registry::find(std::string tenant, std::string id)
{
    document_key key{assistant_kind, tenant, id};
    const std::optional<stored_document> found = co_await documents_.read(std::move(key));
    std::optional<assistant> result;
    if (found) result = assistant_of(tenant, id, *found);
    co_return result;
}

task<std::shared_ptr<const found_assistant>> assistant_registry::find_again(
    std::string tenant, std::string id, std::shared_ptr<const found_assistant> before)
{
    document_key key{assistant_kind, tenant, id};
    std::optional<stored_document> now = co_await documents_.read(std::move(key));
    if (!now) co_return nullptr;
    const bool is_same = before && before->tenant == tenant && before->id == id && before->body == now->body &&
                         before->created == now->created && before->changed == now->changed;
    if (is_same) co_return before;
    assistant found = assistant_of(tenant, id, *now);
    co_return std::make_shared<const found_assistant>(found_assistant{std::move(found), std::move(now->body)});
}

task<std::optional<assistant>> assistant_registry::update(assistant changed)
{
    std::optional<assistant> result;
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        document_key key{assistant_kind, changed.tenant, changed.id};
        const std::optional<stored_document> now = co_await documents_.read(key);
        if (!now) co_return result;
        changed.version = newest_of(*now) + 1;
        const boost::json::object body = body_of(changed, changed.version);
        std::vector<document_change> changes;
        changes.push_back(change_to(std::move(key), body, now->revision));
        changes.push_back(change_to(version_key(changed.tenant, changed.id, changed.version), body, std::nullopt));
        const bool is_written = co_await documents_.write(std::move(changes));
        if (!is_written) continue;
        result = co_await find(changed.tenant, changed.id);
        co_return result;
    }
    give_up(changed.id);
}

task<std::vector<assistant>> assistant_registry::versions(std::string tenant, std::string id, std::size_t count_max)
{
    std::vector<assistant> found;
    document_key key{assistant_kind, tenant, id};
    const std::optional<stored_document> now = co_await documents_.read(std::move(key));
    if (!now) co_return found;
    const std::uint64_t newest = newest_of(*now);
    document_query query = versions_of(tenant, id, count_max);
    do {
        const document_page page = co_await documents_.search(query);
        for (const stored_document& each : page.documents) {
            assistant version = assistant_of(tenant, id, each);
            // Greater ones are of a former assistant of this id, whose erasing was cut off.
            if (version.version <= newest && found.size() < count_max) found.push_back(std::move(version));
        }
        query.after = page.next;
    } while (!query.after.empty() && found.size() < count_max);
    co_return found;
}

task<std::optional<assistant>> assistant_registry::use_version(std::string tenant, std::string id,
                                                               std::uint64_t version)
{
    std::optional<assistant> result;
    document_key wanted_key = version_key(tenant, id, version);
    const std::optional<stored_document> wanted = co_await documents_.read(std::move(wanted_key));
    if (!wanted) co_return result;
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        document_key key{assistant_kind, tenant, id};
        const std::optional<stored_document> now = co_await documents_.read(key);
        if (!now) co_return result;
        const std::uint64_t newest = newest_of(*now);
        if (version > newest) co_return result;
        std::vector<document_change> changes;
        changes.push_back(change_to(std::move(key), body_of(assistant_of(tenant, id, *wanted), newest), now->revision));
        const bool is_written = co_await documents_.write(std::move(changes));
        if (!is_written) continue;
        result = co_await find(tenant, id);
        co_return result;
    }
    give_up(id);
}

task<bool> assistant_registry::erase(std::string tenant, std::string id)
{
    document_key key{assistant_kind, tenant, id};
    const std::optional<stored_document> found = co_await documents_.read(key);
    if (!found) co_return false;
    // The assistant goes first: what a crash leaves of its versions is not listed, and the next one of this id writes
    // over it.
    std::vector<document_change> changes(1);
    changes[0].key = std::move(key);
    const bool is_gone = co_await documents_.write(std::move(changes));
    while (is_gone) {
        document_query query = versions_of(tenant, id, document_limits::changes_max);
        const document_page versions = co_await documents_.search(std::move(query));
        if (versions.documents.empty()) break;
        std::vector<document_change> rest(versions.documents.size());
        for (std::size_t i = 0; i < rest.size(); ++i) rest[i].key = versions.documents[i].key;
        const bool are_gone = co_await documents_.write(std::move(rest));
        static_cast<void>(are_gone);
    }
    co_return true;
}

task<assistant_page> assistant_registry::search(assistant_query query)
{
    const document_page found = co_await documents_.search(documents_for(query));
    assistant_page page;
    for (const stored_document& each : found.documents)
        page.assistants.push_back(assistant_of(each.key.tenant, each.key.id, each));
    page.next = found.next;
    co_return page;
}

task<std::size_t> assistant_registry::count(assistant_query query)
{
    co_return co_await documents_.count(documents_for(query));
}

}  // namespace weft
