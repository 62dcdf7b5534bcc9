#include "net/test_loop.hpp"
#include "serve/auth/test_tokens.hpp"
#include "serve/server/guarded_life.hpp"
#include "serve/server/server_life.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/serve/api_keys.hpp>
#include <weft/store/service/api_key_table.hpp>
#include <weft/store/service/audit_log.hpp>
#include <weft/testing/test_certificates.hpp>

#include <boost/test/unit_test.hpp>

#include <optional>

BOOST_AUTO_TEST_SUITE(access_test)

using namespace std::chrono_literals;

/** Every route, with what it takes to get behind the check of scopes. */
struct row {
    const char* method;
    const char* target;
    const char* scope;
};
constexpr row rows[]{
    {"POST", "/assistants", "assistants:create"},
    {"POST", "/assistants/search", "assistants:search"},
    {"POST", "/assistants/count", "assistants:search"},
    {"GET", "/assistants/asking", "assistants:read"},
    {"PATCH", "/assistants/none", "assistants:update"},
    {"DELETE", "/assistants/none", "assistants:delete"},
    {"POST", "/assistants/asking/versions", "assistants:read"},
    {"POST", "/assistants/none/latest", "assistants:update"},
    {"GET", "/assistants/asking/graph", "assistants:read"},
    {"GET", "/assistants/asking/schemas", "assistants:read"},
    {"GET", "/assistants/asking/subgraphs", "assistants:read"},
    {"GET", "/assistants/asking/subgraphs/x", "assistants:read"},
    {"POST", "/threads", "threads:create"},
    {"POST", "/threads/search", "threads:search"},
    {"POST", "/threads/count", "threads:search"},
    {"GET", "/threads/none", "threads:read"},
    {"PATCH", "/threads/none", "threads:update"},
    {"DELETE", "/threads/none", "threads:delete"},
    {"POST", "/threads/none/copy", "threads:create"},
    {"GET", "/threads/none/state", "threads:read"},
    {"POST", "/threads/none/state", "threads:update"},
    {"PATCH", "/threads/none/state", "threads:update"},
    {"POST", "/threads/none/events", "threads:update"},
    {"POST", "/threads/none/state/checkpoint", "threads:read"},
    {"GET", "/threads/none/state/1", "threads:read"},
    {"GET", "/threads/none/history", "threads:read"},
    {"POST", "/threads/none/history", "threads:read"},
    {"POST", "/threads/none/commands", "threads:create_run"},
    {"GET", "/threads/none/stream", "threads:read"},
    {"GET", "/threads/none/stream/events", "threads:read"},
    {"POST", "/threads/prune", "threads:delete"},
    {"POST", "/runs/batch", "threads:create_run"},
    {"POST", "/runs/cancel", "threads:update"},
    {"DELETE", "/threads/none/runs/none", "threads:delete"},
    {"POST", "/runs", "threads:create_run"},
    {"POST", "/runs/wait", "threads:create_run"},
    {"POST", "/runs/stream", "threads:create_run"},
    {"GET", "/threads/none/runs", "threads:read"},
    {"POST", "/threads/none/runs", "threads:create_run"},
    {"POST", "/threads/none/runs/wait", "threads:create_run"},
    {"POST", "/threads/none/runs/stream", "threads:create_run"},
    {"GET", "/threads/none/runs/none", "threads:read"},
    {"POST", "/threads/none/runs/none/cancel", "threads:update"},
    {"GET", "/threads/none/runs/none/join", "threads:read"},
    {"GET", "/threads/none/runs/none/stream", "threads:read"},
    {"POST", "/runs/crons", "crons:create"},
    {"POST", "/threads/none/runs/crons", "crons:create"},
    {"POST", "/runs/crons/search", "crons:search"},
    {"POST", "/runs/crons/count", "crons:search"},
    {"GET", "/runs/crons/none", "crons:read"},
    {"PATCH", "/runs/crons/none", "crons:update"},
    {"POST", "/runs/crons/none/run", "crons:update"},
    {"DELETE", "/runs/crons/none", "crons:delete"},
    {"PUT", "/store/items", "store:put"},
    {"GET", "/store/items", "store:get"},
    {"DELETE", "/store/items", "store:delete"},
    {"POST", "/store/items/search", "store:search"},
    {"POST", "/store/namespaces", "store:list_namespaces"},
    {"POST", "/ag-ui/asking", "threads:create_run"},
    {"GET", "/admin/keys", "keys:read"},
    {"POST", "/admin/keys", "keys:create"},
    {"DELETE", "/admin/keys/0123456789ab", "keys:delete"},
    {"GET", "/admin/dead", "queue:read"},
    {"GET", "/admin/queue", "queue:read"},
    {"GET", "/admin/workers", "queue:read"},
    {"POST", "/admin/dead/none/retry", "queue:update"},
    {"POST", "/admin/dead/retry", "queue:update"},
    {"POST", "/admin/dead/purge", "queue:delete"},
    {"DELETE", "/admin/dead/none", "queue:delete"},
    {"GET", "/v1/models", "assistants:search"},
    {"GET", "/v1/models/asking", "assistants:read"},
    {"POST", "/v1/chat/completions", "threads:create_run"},
    {"POST", "/v1/responses", "threads:create_run"},
    {"GET", "/v1/responses", "threads:create_run"},
    {"POST", "/v1/responses/input_tokens", "threads:read"},
    {"POST", "/v1/responses/compact", "threads:read"},
    {"GET", "/v1/responses/none", "threads:read"},
    {"DELETE", "/v1/responses/none", "threads:delete"},
    {"POST", "/v1/responses/none/cancel", "threads:update"},
    {"GET", "/v1/responses/none/input_items", "threads:read"},
    {"POST", "/v1/conversations", "threads:create"},
    {"GET", "/v1/conversations/none", "threads:read"},
    {"POST", "/v1/conversations/none", "threads:update"},
    {"DELETE", "/v1/conversations/none", "threads:delete"},
    {"GET", "/v1/conversations/none/items", "threads:read"},
    {"POST", "/v1/conversations/none/items", "threads:update"},
    {"GET", "/v1/conversations/none/items/none", "threads:read"},
    {"DELETE", "/v1/conversations/none/items/none", "threads:update"},
    {"POST", "/mcp", "threads:create_run"},
    {"GET", "/mcp", "threads:read"},
    {"DELETE", "/mcp", "threads:read"},
    {"POST", "/a2a", "threads:read"},
    {"POST", "/a2a/asking", "threads:read"},
    {"POST", "/a2a/asking/message:send", "threads:create_run"},
    {"POST", "/a2a/asking/message:stream", "threads:create_run"},
    {"GET", "/a2a/asking/tasks", "threads:read"},
    {"GET", "/a2a/asking/tasks/none", "threads:read"},
    {"POST", "/a2a/asking/tasks/none:subscribe", "threads:read"},
    {"POST", "/a2a/asking/tasks/none/pushNotificationConfigs", "threads:update"},
    {"GET", "/a2a/asking/tasks/none/pushNotificationConfigs", "threads:read"},
    {"GET", "/a2a/asking/tasks/none/pushNotificationConfigs/x", "threads:read"},
    {"DELETE", "/a2a/asking/tasks/none/pushNotificationConfigs/x", "threads:update"},
    {"GET", "/a2a/asking/extendedAgentCard", "threads:read"},
    {"GET", "/info", "server:read"},
    {"GET", "/openapi.json", "server:read"},
};

BOOST_AUTO_TEST_CASE(every_route_asks_who_calls_and_what_they_may)
{
    test_loop loop;
    weft::memory_store store;
    guarded_life server{loop, store};
    const std::string nothing = server.make_key("acme", "[]");
    const std::string everything = server.make_key("acme", R"(["*","keys:*","queue:*"])");
    for (const row& each : rows) {
        BOOST_TEST_CONTEXT(each.method << ' ' << each.target) {
            const std::string body = std::string_view{each.method} == "GET" ? "" : "{}";
            const answer stranger = server.send(each.method, each.target, body);
            BOOST_TEST(stranger.status == 401);
            BOOST_TEST(stranger.headers.find("www-authenticate").value() == "Bearer");
            BOOST_TEST(server.as(nothing, each.method, each.target, body).status == 403);
            const std::string fitting = server.make_key("acme", R"([")" + std::string{each.scope} + R"("])");
            const int with_scope = server.as(fitting, each.method, each.target, body).status;
            BOOST_TEST((with_scope != 401 && with_scope != 403 && with_scope < 500));
            BOOST_TEST(server.as(everything, each.method, each.target, body).status == with_scope);
        }
    }
    for (const char* const open : {"/ok", "/livez", "/readyz"}) BOOST_TEST(server.send("GET", open).status == 200);
    const boost::json::object paths = server.as(everything, "GET", "/openapi.json").json().at("paths").as_object();
    std::size_t documented = 0;
    for (const auto& [path, methods] : paths) documented += methods.as_object().size();
    // The five that are open, and the two streams that stay open for as long as their client likes.
    BOOST_TEST(documented == std::size(rows) + 7, "a route has no row in this table");
}

BOOST_AUTO_TEST_CASE(what_another_tenant_made_is_not_there)
{
    test_loop loop;
    weft::memory_store store;
    guarded_life server{loop, store};
    const std::string acme = server.make_key("acme");
    const std::string other = server.make_key("other");
    const auto post = [&](const std::string& key, std::string_view target, std::string body) {
        return server.as(key, "POST", target, std::move(body));
    };
    BOOST_TEST(post(acme, "/threads", R"({"thread_id":"t1"})").status == 200);
    BOOST_TEST(post(acme, "/threads/t1/runs/wait", R"({"assistant_id":"asking","input":{}})").status == 200);
    const boost::json::array runs = server.as(acme, "GET", "/threads/t1/runs").json().as_array();
    BOOST_TEST_REQUIRE(runs.size() == 1);
    const std::string run{runs[0].at("run_id").as_string()};

    for (const std::string& target : {std::string{"/threads/t1"}, std::string{"/threads/t1/state"},
                                      std::string{"/threads/t1/history"}, std::string{"/threads/t1/runs"},
                                      "/threads/t1/runs/" + run, "/threads/t1/runs/" + run + "/join"}) {
        BOOST_TEST(server.as(other, "GET", target).status == 404, target);
    }
    BOOST_TEST(post(other, "/threads/t1/runs/" + run + "/cancel", "{}").status == 404);
    BOOST_TEST(server.as(other, "DELETE", "/threads/t1").status == 404);
    std::string response = "/v1/responses/resp_";
    for (const char c : run)
        if (c != '-') response.push_back(c);
    BOOST_TEST(server.as(acme, "GET", response).status == 200);
    BOOST_TEST(server.as(other, "GET", response).status == 404);
    BOOST_TEST(post(other, response + "/cancel", "{}").status == 404);
    BOOST_TEST(server.as(acme, "GET", "/v1/conversations/conv_t1").status == 200);
    BOOST_TEST(server.as(other, "GET", "/v1/conversations/conv_t1").status == 404);
    BOOST_TEST(post(other, "/threads/search", "{}").json().as_array().empty());
    BOOST_TEST(post(acme, "/threads/search", "{}").json().as_array().size() == 1U);
    const answer resumed =
        post(other, "/threads/t1/runs/wait", R"({"assistant_id":"asking","command":{"resume":"mine"}})");
    BOOST_TEST(resumed.status == 404);
    // A thread of the same name is another one.
    BOOST_TEST(post(other, "/threads", R"({"thread_id":"t1"})").status == 200);
    BOOST_TEST(server.as(other, "GET", "/threads/t1").json().at("status") == "idle");

    const answer cron = post(acme, "/runs/crons", R"({"assistant_id":"asking","schedule":"0 9 * * *"})");
    const std::string its_cron = "/runs/crons/" + std::string{cron.json().at("cron_id").as_string()};
    BOOST_TEST(server.as(acme, "GET", its_cron).status == 200);
    BOOST_TEST(server.as(other, "GET", its_cron).status == 404);
    BOOST_TEST(server.as(other, "PATCH", its_cron, R"({"enabled":false})").status == 404);
    BOOST_TEST(server.as(other, "DELETE", its_cron).status == 404);
    BOOST_TEST(post(other, "/runs/crons/search", "{}").json().as_array().empty());
    BOOST_TEST(post(other, "/threads/t2/runs/crons", R"({"assistant_id":"asking","schedule":"0 9 * * *"})").status ==
               404);

    const answer made = post(acme, "/assistants", R"({"graph_id":"asking","name":"ours"})");
    const std::string assistant{made.json().at("assistant_id").as_string()};
    BOOST_TEST(server.as(other, "GET", "/assistants/" + assistant).status == 404);
    BOOST_TEST(server.as(acme, "GET", "/assistants/" + assistant).status == 200);
    BOOST_TEST(post(other, "/assistants/search", "{}").json().as_array().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_key_that_is_revoked_stops_to_work_and_another_one_never_did)
{
    test_loop loop;
    weft::memory_store store;
    guarded_life server{loop, store};
    const std::string key = server.make_key("acme");
    BOOST_TEST(server.as(weft::new_api_key(), "GET", "/info").status == 401);
    BOOST_TEST(server.as("weft_guess", "GET", "/info").status == 401);
    weft::http_request by_bearer = server.request_to("GET", "/info");
    by_bearer.bearer(weft::secret_string{key});
    BOOST_TEST(server.send(std::move(by_bearer)).status == 200);
    const std::string unused = server.make_key("acme");
    weft::api_key_table table{store.service().documents()};
    started revoking{loop, table.revoke("acme", weft::hash_of_api_key(unused))};
    BOOST_TEST(revoking.result());
    BOOST_TEST(server.as(unused, "GET", "/info").status == 401);
}

BOOST_AUTO_TEST_CASE(a_token_and_a_hook_let_callers_in)
{
    test_loop loop;
    weft::memory_store store;
    const test_signer signer{"ES256", "k1"};
    weft::server_options options;
    options.auth.jwt = weft::jwt_options{.issuer = "i", .audience = "weft", .jwks = signer.jwk_set()};
    options.auth.authenticate = [](const weft::http_call& call) -> weft::task<std::optional<weft::principal>> {
        std::optional<weft::principal> who;
        if (call.headers().find("x-badge") == "42") who = weft::principal{.name = "badge 42", .tenant = "acme"};
        co_return who;
    };
    options.auth.authorize = [](const weft::principal& who, std::string_view resource, std::string_view) {
        return who.tenant == "acme" || resource != "store";
    };
    guarded_life server{loop, store, std::move(options)};
    const auto status = [&](std::string_view header, const std::string& value, std::string_view target) {
        weft::http_request request = server.request_to("GET", target);
        request.secret(std::string{header}, weft::secret_string{value});
        return server.send(std::move(request)).status;
    };
    const std::string claims = R"({"iss":"i","aud":"weft","sub":"ann","exp":99999999999})";
    BOOST_TEST(status("Authorization", "Bearer " + signer.token(claims), "/info") == 200);
    BOOST_TEST(status("Authorization", "Bearer " + signer.token(claims), "/store/items?key=a") == 403);
    BOOST_TEST(status("Authorization", "Bearer " + signer.token(R"({"iss":"i"})"), "/info") == 401);
    BOOST_TEST(status("X-Badge", "42", "/store/items?key=a") == 404);
    BOOST_TEST(status("X-Badge", "41", "/info") == 401);
}

BOOST_AUTO_TEST_CASE(what_callers_did_is_in_the_audit_log)
{
    test_loop loop;
    weft::memory_store store;
    guarded_life server{loop, store};
    const std::string key = server.make_key("acme");
    const auto post = [&](std::string_view target, std::string body) {
        return server.as(key, "POST", target, std::move(body)).status;
    };
    BOOST_TEST(server.as(weft::new_api_key(), "GET", "/info").status == 401);
    BOOST_TEST(post("/threads", R"({"thread_id":"t1"})") == 200);
    BOOST_TEST(post("/threads/t1/runs/wait", R"({"assistant_id":"asking","input":{}})") == 200);
    BOOST_TEST(post("/threads/t1/runs/wait", R"({"assistant_id":"asking","command":{"resume":"this"}})") == 200);
    BOOST_TEST(server.as(key, "DELETE", "/threads/t1").status == 204);

    const std::vector<weft::audit_entry> refused = server.audited("server.refuse");
    BOOST_TEST_REQUIRE(refused.size() == 1);
    BOOST_TEST(refused[0].target == "/info");
    BOOST_TEST(weft::parse_json(refused[0].detail).at("peer") == "127.0.0.1");
    const std::vector<weft::audit_entry> answered = server.audited("threads.answer");
    BOOST_TEST_REQUIRE(answered.size() == 1);
    BOOST_TEST(answered[0].tenant == "acme");
    BOOST_TEST(answered[0].actor == "key of acme");
    BOOST_TEST(answered[0].target == "/threads/t1/runs/wait");
    BOOST_TEST(server.audited("threads.delete").size() == 1U);
    BOOST_TEST(server.audited().size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_caller_over_its_limit_is_told_when_to_come_back)
{
    test_loop loop;
    weft::memory_store store;
    weft::server_options options = asking_who();
    options.auth.limits = {.requests_per_second = 0.1, .burst = 2, .runs_max = 1};
    guarded_life server{loop, store, std::move(options)};
    const std::string acme = server.make_key("acme");
    const std::string other = server.make_key("other");
    BOOST_TEST(server.as(acme, "GET", "/info").status == 200);
    BOOST_TEST(server.as(acme, "GET", "/info").status == 200);
    const answer over = server.as(acme, "GET", "/info");
    BOOST_TEST(over.status == 429);
    BOOST_TEST(over.headers.find("retry-after").value() == "10");
    const answer over_for_openai = server.as(acme, "GET", "/v1/models");
    BOOST_TEST(over_for_openai.status == 429);
    BOOST_TEST(over_for_openai.headers.contains("retry-after"));
    BOOST_TEST(over_for_openai.json().at("error").at("type") == "rate_limit_error");
    BOOST_TEST(server.as(other, "GET", "/info").status == 200);
}

BOOST_AUTO_TEST_CASE(a_client_is_known_by_its_certificate)
{
    using weft::testing::certificate_options;
    test_loop loop;
    weft::memory_store store;
    const weft::testing::certificate_authority authority;
    const weft::testing::issued_certificate own = authority.issue();
    const weft::testing::pem_file certificate{own.certificate_pem};
    const weft::testing::pem_file key{own.key_pem};
    const weft::testing::pem_file ca{authority.certificate_pem()};
    weft::server_options options;
    const weft::principal agent{.name = "agent 7", .tenant = "acme", .scopes = {"threads:*"}};
    options.auth.certificates.push_back({"agent-7.example.com", agent});
    options.auth.certificates.push_back({"", weft::principal{}});  // of no certificate
    weft::server server{loop.loop(), weft::server_stores{store}, {asking_graph()}, std::move(options)};
    weft::tls_server_options tls;
    tls.certificate_file = certificate.path();
    tls.key_file = key.path();
    tls.client_ca_file = ca.path();
    const weft::listen_address at = server.listen(weft::listen_address{"127.0.0.1:0"}, tls);
    started running{loop, server.run()};
    const auto status = [&](const char* host, std::string_view target) {
        const auto wanted = certificate_options{}.for_clients().common_name("some client").hosts({host});
        const auto shown = authority.issue(wanted);
        const weft::testing::pem_file client_certificate{shown.certificate_pem};
        const weft::testing::pem_file client_key{shown.key_pem};
        weft::http_client_options how;
        how.tls.ca_file = ca.path();
        how.tls.certificate_file = client_certificate.path();
        how.tls.key_file = client_key.path();
        const std::string url = "https://127.0.0.1:" + std::to_string(at.port()) + std::string{target};
        started got{loop, fetch(weft::http_client{how}, weft::http_request{"GET", weft::url{url}})};
        return got.result().status;
    };
    BOOST_TEST(status("agent-7.example.com", "/threads/none") == 404);
    BOOST_TEST(status("agent-7.example.com", "/info") == 403);
    BOOST_TEST(status("agent-8.example.com", "/info") == 401);
    server.drain();
    loop.run_until([&] { return running.is_done(); });
}

BOOST_AUTO_TEST_CASE(other_machines_may_call_only_a_server_that_asks_or_says_that_it_does_not)
{
    test_loop loop;
    weft::memory_store store;
    const weft::listen_address all{"0.0.0.0:0"};
    const auto listens = [&](weft::server_options options) {
        weft::server server{loop.loop(), weft::server_stores{store}, {asking_graph()}, std::move(options)};
        (void)server.listen(all);
    };
    BOOST_CHECK_EXCEPTION(listens({}), weft::error, [](const weft::error& e) {
        return e.code() == weft::errc::invalid_configuration &&
               std::string_view{e.what()}.find("0.0.0.0") != std::string::npos;
    });
    weft::server_options open;
    open.auth.lets_anyone_in = true;
    BOOST_CHECK_NO_THROW(listens(open));
    BOOST_CHECK_NO_THROW(listens(asking_who()));
}

BOOST_AUTO_TEST_SUITE_END()
