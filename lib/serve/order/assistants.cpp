#include "assistants.hpp"

#include "sent_tools.hpp"

#include <weft/net/server/http_error.hpp>
#include <weft/net/text/digest.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace weft::serve_detail {

namespace {

constexpr std::size_t tenants_known_max = 100'000;
constexpr std::size_t assistants_known_max = 10'000;

}  // namespace

std::string assistant_id_of(std::string_view graph)
{
    const auto space = unique_id::parse("6ba7b821-9dad-11d1-80b4-00c04fd430c8");
    std::string named{space->bytes.begin(), space->bytes.end()};
    named.append(graph);
    const std::string digest = net_detail::sha1(named);
    unique_id id;
    std::copy_n(digest.begin(), id.bytes.size(), id.bytes.begin());
    // Version 5, and the variant of RFC 9562.
    id.bytes[6] = static_cast<std::uint8_t>((id.bytes[6] & 0x0f) | 0x50);
    id.bytes[8] = static_cast<std::uint8_t>((id.bytes[8] & 0x3f) | 0x80);
    return id.text();
}

namespace {

const std::string& id_of_graph(serve_core& core, const std::string& graph)
{
    std::string& id = core.assistant_ids[graph];
    if (id.empty()) id = assistant_id_of(graph);
    return id;
}

/** Null: there is none. What it was found as is there for the next request. */
task<std::shared_ptr<const found_assistant>> find_assistant(serve_core& core, std::string tenant, std::string id)
{
    std::pair<std::string, std::string> key{tenant, id};
    std::shared_ptr<const found_assistant> before;
    if (const auto known = core.known_assistants.find(key); known != core.known_assistants.end())
        before = known->second;
    std::shared_ptr<const found_assistant> last = before;
    std::shared_ptr<const found_assistant> found =
        co_await core.assistants.find_again(std::move(tenant), std::move(id), std::move(last));
    if (found == before) co_return found;
    if (core.known_assistants.size() >= assistants_known_max) core.known_assistants.clear();
    if (found) core.known_assistants.insert_or_assign(std::move(key), found);
    else core.known_assistants.erase(key);
    co_return found;
}

}  // namespace

task<assistant> require_assistant(serve_core& core, std::string tenant, std::string id, int status)
{
    // The name of a graph is that of its own assistant, wherever an id is asked for.
    std::string wanted = core.find_graph(id) ? id_of_graph(core, id) : id;
    const std::shared_ptr<const found_assistant> found =
        co_await find_assistant(core, std::move(tenant), std::move(wanted));
    if (!found)
        throw http_error{status, "assistant_not_found",
                         "there is no assistant or graph '" + id + "'; the graphs are: " + core.served->names()};
    co_return assistant{*found};
}

std::shared_ptr<const hosted_graph> graph_of(const serve_core& core, const assistant& of)
{
    std::shared_ptr<const hosted_graph> found = core.find_graph(of.graph);
    if (!found)
        throw http_error{422, "graph_not_found",
                         "this server does not have the graph '" + of.graph + "'; it has: " + core.served->names()};
    return found;
}

task<void> make_assistants(serve_core& core, std::string tenant)
{
    if (core.tenants.contains(tenant)) co_return;
    const std::shared_ptr<const served_set> served = core.served;
    for (const hosted_graph& each : served->graphs) {
        const weft::graph& graph = each.graph;
        assistant made;
        made.tenant = tenant;
        made.id = assistant_id_of(graph.name());
        made.graph = graph.name();
        made.name = graph.name();
        made.description = graph.description();
        boost::json::object metadata{{"created_by", "system"}};
        if (!tool_parameters_of(graph).empty()) metadata["client_tools"] = true;
        made.metadata = boost::json::serialize(metadata);
        (void)co_await core.assistants.create(std::move(made));  // one that clients have changed stays
    }
    if (core.served != served) co_return;  // replaced meanwhile: the next request makes the others
    if (core.tenants.size() >= tenants_known_max) core.tenants.clear();
    core.tenants.insert(std::move(tenant));
}

}  // namespace weft::serve_detail
