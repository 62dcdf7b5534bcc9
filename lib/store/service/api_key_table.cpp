#include <weft/store/service/api_key_table.hpp>

#include "document_fields.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/base/error.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace weft {

namespace {

using service_detail::object_of;
using service_detail::text_of;

constexpr const char* key_kind = "api_key";
constexpr std::size_t hash_digits = 64;

// A plain key, given by mistake, must not get into the store.
void require_hash(std::string_view hash)
{
    const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    if (hash.size() == hash_digits && std::all_of(hash.begin(), hash.end(), is_digit)) return;
    throw error{errc::invalid_configuration, "API key",
                "it is named by its SHA-256 as 64 hexadecimal digits in lower case: hash the key first"};
}

// The tenant is in the body: a key that is presented does not say whose it is.
document_key place_of_key(std::string hash) { return {key_kind, {}, std::move(hash)}; }

api_key key_of(const stored_document& document)
{
    const boost::json::object body = object_of(document.body, "API key");
    api_key found;
    found.hash = document.key.id;
    found.tenant = text_of(body, "tenant");
    found.name = text_of(body, "name");
    found.metadata = service_detail::field_of(body, "metadata");
    found.created = document.created;
    found.expires = document.due;
    return found;
}

}  // namespace

task<bool> api_key_table::add(api_key made)
{
    require_hash(made.hash);
    std::vector<document_change> changes(1);
    changes[0].body = service_detail::text_of_object(
        {{"tenant", made.tenant}, {"name", made.name}, {"metadata", object_of(made.metadata, "metadata")}});
    changes[0].key = place_of_key(std::move(made.hash));
    changes[0].due = made.expires;
    changes[0].expected = 0;
    co_return co_await documents_.write(std::move(changes));
}

task<std::optional<api_key>> api_key_table::find(std::string hash)
{
    require_hash(hash);
    const serial_loop& loop = co_await this_task::loop();
    const wall_time now = loop.clock().system_now();
    const std::optional<stored_document> document = co_await documents_.read(place_of_key(std::move(hash)));
    std::optional<api_key> found;
    // The sweep may be late: the end of a key is looked at here.
    if (document && (!document->due || *document->due > now)) found = key_of(*document);
    co_return found;
}

task<bool> api_key_table::revoke(std::string tenant, std::string hash)
{
    require_hash(hash);
    const document_key place = place_of_key(std::move(hash));
    const std::optional<stored_document> document = co_await documents_.read(place);
    if (!document || key_of(*document).tenant != tenant) co_return false;
    std::vector<document_change> changes(1);
    changes[0].key = place;
    // A key is never changed, so its revision says that it is still this one.
    changes[0].expected = document->revision;
    co_return co_await documents_.write(std::move(changes));
}

task<api_key_page> api_key_table::list(std::string tenant, std::string after, std::size_t count_max)
{
    document_query query;
    query.kind = key_kind;
    query.contains = service_detail::text_of_object({{"tenant", tenant}});
    query.after = std::move(after);
    query.count_max = count_max;
    const document_page found = co_await documents_.search(std::move(query));
    api_key_page page;
    for (const stored_document& each : found.documents) page.keys.push_back(key_of(each));
    page.next = found.next;
    co_return page;
}

task<std::size_t> api_key_table::sweep(std::size_t count_max)
{
    std::string kind = key_kind;
    co_return co_await documents_.erase_due(std::move(kind), count_max);
}

}  // namespace weft
