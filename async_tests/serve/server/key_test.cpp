#include <boost/test/unit_test.hpp>

#include "net/server/server_fixture.hpp"
#include "net/test_loop.hpp"
#include "serve/auth/test_tokens.hpp"
#include "serve/server/guarded_life.hpp"

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(key_test)

using namespace std::chrono_literals;
using server_fixture::raw_client;

constexpr std::int64_t begin_seconds = 1'795'680'000;

/** A server that asks for keys, whose time is moved by hand. */
struct key_world {
    explicit key_world(weft::server_options options = asking_who()) : server{loop, store, std::move(options)}
    {
        admin = server.make_key("acme", R"(["*","keys:*"])");
    }

    /** Sends a request and waits for a text in its answer. */
    void open(raw_client& client, std::string_view line, std::string_view headers, std::string_view awaited)
    {
        client.send(std::string{line} + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) + "\r\n" +
                    std::string{headers} + "\r\n");
        client.read_until(awaited);
    }
    void pass(std::chrono::seconds span)
    {
        for (std::chrono::seconds i{0}; i < span; i += 1s) loop.advance(1s);
        for (int i = 0; i < 20; ++i) loop.advance(1ms);
    }

    hand_clock clock{weft::clock::system_time_point{std::chrono::seconds{begin_seconds}}};
    test_loop loop{clock};
    weft::memory_store store;
    guarded_life server;
    std::string admin;
};

constexpr std::string_view handshake =
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

BOOST_AUTO_TEST_CASE(keys_are_made_listed_and_revoked_while_the_server_runs)
{
    key_world w;
    const answer made =
        w.server.as(w.admin, "POST", "/admin/keys", R"({"name":"shop","scopes":["threads:*"],"days":3})");
    BOOST_TEST_REQUIRE(made.status == 200, made.body);
    BOOST_TEST(made.headers.find("cache-control").value() == "no-store");
    const std::string key{made.json().at("key").as_string()};
    const std::string id{made.json().at("key_id").as_string()};
    BOOST_TEST(made.json().at("expires_at") == "2026-11-29T08:00:00Z");
    BOOST_TEST(w.server.as(key, "POST", "/threads/search", "{}").status == 200);
    BOOST_TEST(w.server.as(key, "GET", "/info").status == 403);
    const answer listed = w.server.as(w.admin, "GET", "/admin/keys");
    BOOST_TEST(listed.json().at("keys").as_array().size() == 2u);
    BOOST_TEST(listed.body.find("\"shop\"") != std::string::npos);
    BOOST_TEST(listed.body.find(key) == std::string::npos);
    // Another tenant does not have it.
    const std::string other = w.server.make_key("other", R"(["keys:*"])");
    BOOST_TEST(w.server.as(other, "GET", "/admin/keys").json().at("keys").as_array().size() == 1u);
    BOOST_TEST(w.server.as(other, "DELETE", "/admin/keys/" + id).status == 404);
    BOOST_TEST(w.server.as(w.admin, "DELETE", "/admin/keys/" + id.substr(0, 4)).status == 422);
    BOOST_TEST(w.server.as(w.admin, "DELETE", "/admin/keys/" + id).status == 204);
    BOOST_TEST(w.server.as(w.admin, "DELETE", "/admin/keys/" + id).status == 404);
    // At once, and not only when it is looked up again.
    BOOST_TEST(w.server.as(key, "POST", "/threads/search", "{}").status == 401);
    BOOST_TEST(w.server.audited("keys.create").size() == 1u);
    BOOST_TEST(w.server.audited("keys.delete").size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_caller_hands_on_no_more_than_it_may_itself)
{
    key_world w;
    // A key for everything makes no keys: the scope has to say so.
    const std::string everything = w.server.make_key("acme");
    BOOST_TEST(w.server.as(everything, "POST", "/admin/keys", R"({"name":"x"})").status == 403);
    const std::string maker = w.server.make_key("acme", R"(["keys:create","threads:read"])");
    const auto status = [&](const std::string& scopes) {
        return w.server.as(maker, "POST", "/admin/keys", R"({"name":"x","scopes":)" + scopes + '}').status;
    };
    BOOST_TEST(status(R"(["threads:read"])") == 200);
    BOOST_TEST(status(R"(["keys:create"])") == 200);
    BOOST_TEST(status("[]") == 200);
    for (const char* const more : {R"(["threads:*"])", R"(["*"])", R"(["*:read"])", R"(["keys:*"])", R"(["none"])",
                                   R"(["threads:read","store:get"])"})
        BOOST_TEST(status(more) == 403, more);
    BOOST_TEST(status("[1]") == 422);
    BOOST_TEST(status("7") == 422);
    BOOST_TEST(w.server.as(maker, "POST", "/admin/keys", R"({"name":"x"})").status == 403);  // that would be `*`
    BOOST_TEST(w.server.as(w.admin, "POST", "/admin/keys", R"({"scopes":["*"]})").status == 422);
    BOOST_TEST(w.server.as(w.admin, "POST", "/admin/keys", R"({"name":"x","days":0})").status == 422);
    BOOST_TEST(w.server.as(w.admin, "POST", "/admin/keys", R"({"name":"x","scopes":["*"],"days":1})").status == 200);
}

BOOST_AUTO_TEST_CASE(a_server_that_asks_nobody_makes_no_keys)
{
    test_loop loop;
    weft::memory_store store;
    life server{loop, store, {asking_graph()}};
    BOOST_TEST(server.post("/admin/keys", R"({"name":"x"})").status == 403);
    BOOST_TEST(server.send("GET", "/admin/keys").status == 403);
}

BOOST_AUTO_TEST_CASE(what_is_open_ends_when_its_key_is_revoked)
{
    key_world w;
    BOOST_TEST(w.server.as(w.admin, "POST", "/threads", R"({"thread_id":"t1"})").status == 200);
    const std::string key = w.server.make_key("acme");
    const std::string header = "X-Api-Key: " + key + "\r\n";
    raw_client stream{w.loop, w.server.port()};
    w.open(stream, "GET /threads/t1/stream", header, ": ready");
    raw_client socket{w.loop, w.server.port()};
    w.open(socket, "GET /threads/t1/stream/events", header + std::string{handshake}, "\r\n\r\n");
    raw_client stays{w.loop, w.server.port()};
    w.open(stays, "GET /threads/t1/stream", "X-Api-Key: " + w.admin + "\r\n", ": ready");
    w.pass(4s);
    BOOST_TEST(stream.received().find("event: error") == std::string::npos);
    w.server.revoke(key);  // as another process does it
    w.pass(3s);
    stream.read_until("0\r\n\r\n");
    BOOST_TEST(stream.received().find("event: error") != std::string::npos);
    BOOST_TEST(stream.received().find("revoked") != std::string::npos);
    BOOST_TEST(stream.received().find("unauthenticated") != std::string::npos);
    socket.read_until("revoked");
    // A frame that closes: the length, and 4401.
    const std::size_t at = socket.received().find("\x11\x31");
    BOOST_TEST_REQUIRE(at != std::string::npos);
    BOOST_TEST(socket.received()[at - 2] == '\x88');
    w.pass(10s);
    BOOST_TEST(stays.received().find("event: error") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_key_that_is_revoked_by_the_server_ends_what_is_open_at_once)
{
    key_world w;
    BOOST_TEST(w.server.as(w.admin, "POST", "/threads", R"({"thread_id":"t1"})").status == 200);
    const std::string key = w.server.make_key("acme");
    raw_client stream{w.loop, w.server.port()};
    w.open(stream, "GET /threads/t1/stream", "X-Api-Key: " + key + "\r\n", ": ready");
    const std::string id = weft::hash_of_api_key(key).substr(0, 12);
    BOOST_TEST(w.server.as(w.admin, "DELETE", "/admin/keys/" + id).status == 204);
    stream.read_until("0\r\n\r\n");
    BOOST_TEST(stream.received().find("revoked") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_is_open_ends_with_its_token)
{
    const test_signer signer{"ES256", "k1"};
    weft::server_options options = asking_who();
    options.auth.jwt = weft::jwt_options{.issuer = "i", .audience = "weft", .jwks = signer.jwk_set()};
    key_world w{std::move(options)};
    const std::string claims =
        R"({"iss":"i","aud":"weft","sub":"ann","exp":)" + std::to_string(begin_seconds + 60) + '}';
    raw_client stream{w.loop, w.server.port()};
    const std::string header = "Authorization: Bearer " + signer.token(claims) + "\r\n";
    w.open(stream, "POST /threads", header + "Content-Type: application/json\r\nContent-Length: 18\r\n\r\n"
                                             R"({"thread_id":"t"})" " ", "}");
    raw_client watching{w.loop, w.server.port()};
    w.open(watching, "GET /threads/t/stream", header, ": ready");
    w.pass(85s);  // with 30 s by which clocks may differ
    BOOST_TEST(watching.received().find("event: error") == std::string::npos);
    w.pass(10s);
    watching.read_until("0\r\n\r\n");
    BOOST_TEST(watching.received().find("the token has expired") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(other_rules_hold_from_the_next_request_on)
{
    const test_signer old_keys{"ES256", "k1"};
    const test_signer new_keys{"ES256", "k2"};
    const auto rules = [](const test_signer& signer) {
        weft::auth_options auth;
        auth.jwt = weft::jwt_options{.issuer = "i", .audience = "weft", .jwks = signer.jwk_set()};
        return auth;
    };
    weft::server_options options;
    options.auth = rules(old_keys);
    options.auth.api_keys = true;
    key_world w{std::move(options)};
    const auto status = [&](const test_signer& signer) {
        const std::string claims = R"({"iss":"i","aud":"weft","sub":"ann","exp":99999999999})";
        weft::http_request request = w.server.request_to("GET", "/info");
        request.bearer(weft::secret_string{signer.token(claims)});
        return w.server.send(std::move(request)).status;
    };
    BOOST_TEST(w.server.as(w.admin, "POST", "/threads", R"({"thread_id":"t1"})").status == 200);
    raw_client stream{w.loop, w.server.port()};
    w.open(stream, "GET /threads/t1/stream", "X-Api-Key: " + w.admin + "\r\n", ": ready");
    BOOST_TEST(status(old_keys) == 200);
    BOOST_TEST(status(new_keys) == 401);

    weft::auth_options wrong = rules(new_keys);
    wrong.jwt->issuer.clear();
    BOOST_CHECK_THROW(w.server.server().replace_auth(wrong), weft::error);
    BOOST_CHECK_THROW(w.server.server().replace_auth(weft::auth_options{}), weft::error);
    BOOST_TEST(status(old_keys) == 200);

    weft::auth_options next = rules(new_keys);
    next.limits = {.requests_per_second = 0.1, .burst = 2};
    w.server.server().replace_auth(next);
    BOOST_TEST(status(old_keys) == 401);
    BOOST_TEST(status(new_keys) == 200);
    BOOST_TEST(status(new_keys) == 200);
    BOOST_TEST(status(new_keys) == 429);
    // Keys are no way in any more.
    stream.read_until("0\r\n\r\n");
    BOOST_TEST(w.server.as(w.admin, "GET", "/info").status == 401);
}

BOOST_AUTO_TEST_SUITE_END()
