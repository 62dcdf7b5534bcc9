#include "stored_sessions.hpp"

#include "call_notes.hpp"

#include <weft/async/wait/on_behalf_of.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_peek.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>
#include <utility>
#include <vector>

namespace weft::serve_detail {

namespace {

constexpr const char* session_kind = "mcp_session";
/** A session is kept for longer when so much of its life is over: not with each request. */
constexpr std::chrono::hours session_renewed_after{1};
constexpr std::size_t swept_sessions_max = 20;
/** A session is found by its secret, whose tenant only its principal says. */
constexpr const std::string* session_owner = nullptr;

/** The id of a session lets its owner in. What reads the store sees a digest, with which no session can be had. */
document_key key_of_session(const std::string& id)
{
    return {session_kind, {}, session_digest(id)};
}

}  // namespace

task<void> stored_sessions::save(std::string id, std::string principal, mcp_peer client)
{
    document_store& documents = core_.stores.service->documents();
    // Each new one takes some old ones away: they never pile up.
    (void)co_await documents.erase_due(session_kind, swept_sessions_max);
    boost::json::object body;
    body["principal"] = principal;
    body["version"] = client.version;
    body["capabilities"] = client.capabilities;
    body["client"] = client.name;
    body["log_level"] = client.log_level;
    std::vector<document_change> changes(1);
    changes[0].key = key_of_session(id);
    changes[0].body = boost::json::serialize(body);
    changes[0].due = core_.loop.clock().system_now() + life;
    on_behalf_of written{documents.write(std::move(changes)), session_owner};
    (void)co_await written;  // it expects nothing
}

task<std::optional<mcp_peer>> stored_sessions::find(std::string id, std::string principal)
{
    const wall_time now = core_.loop.clock().system_now();
    on_behalf_of looking{core_.stores.service->documents().read(key_of_session(id)), session_owner};
    const std::optional<stored_document> found = co_await looking;
    if (!found || !found->due || *found->due <= now) co_return std::nullopt;
    const boost::json::value body = parse_json(found->body);
    const boost::json::object& in = body.as_object();
    if (peek_text(in, "principal") != principal) co_return std::nullopt;
    mcp_peer client;
    client.version = peek_text(in, "version");
    client.name = peek_text(in, "client");
    client.log_level = peek_text(in, "log_level");
    if (const boost::json::object* const can = peek_object(in, "capabilities")) client.capabilities = *can;
    const bool is_renewed = *found->due - now < life - session_renewed_after;
    if (is_renewed) co_await save(std::move(id), std::move(principal), client);
    co_return client;
}

task<void> stored_sessions::erase(std::string id, std::string principal)
{
    (void)principal;  // the table has looked for it
    std::vector<document_change> changes(1);
    changes[0].key = key_of_session(id);
    on_behalf_of written{core_.stores.service->documents().write(std::move(changes)), session_owner};
    (void)co_await written;
}

}  // namespace weft::serve_detail
