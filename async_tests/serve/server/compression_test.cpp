#include <boost/test/unit_test.hpp>

#include "net/server/server_fixture.hpp"
#include "net/test_loop.hpp"
#include "serve/server/guarded_life.hpp"

#include <string>
#include <string_view>

BOOST_AUTO_TEST_SUITE(compression_test)

/** A server whose caller may do everything, and whose lists are long enough to be compressed. */
struct long_lists {
    long_lists() : key{server.make_key("acme", R"(["*","keys:*","queue:*"])")}
    {
        const std::string metadata = R"("metadata":{"note":")" + std::string(2000, 'n') + R"("})";
        ask("POST /threads", R"({"thread_id":"t1",)" + metadata + "}");
        for (int i = 0; i < 10; ++i) {
            server.make_key("acme");
            ask("POST /runs/crons", R"({"assistant_id":"asking","schedule":"0 0 1 1 *","input":{},)" + metadata + "}");
        }
    }

    /** By hand: `http_client` takes no compressed answers. */
    std::string ask(std::string_view line, std::string_view body = {}, std::string_view header = {})
    {
        std::string request{line};
        request.append(" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept-Encoding: gzip\r\n");
        request.append("X-Api-Key: ").append(key).append("\r\n").append(header);
        if (!body.empty())
            request.append("Content-Type: application/json\r\nContent-Length: ").append(std::to_string(body.size()));
        request.append(body.empty() ? "\r\n" : "\r\n\r\n").append(body);
        server_fixture::raw_client client{loop, server.port()};
        client.send(request);
        const std::string got = client.read_to_end();
        BOOST_TEST_REQUIRE(got.starts_with("HTTP/1.1 200 "), got);
        return got;
    }

    test_loop loop;
    weft::memory_store store;
    guarded_life server{loop, store};
    std::string key;
};

bool is_compressed(const std::string& got)
{
    const std::string head = got.substr(0, got.find("\r\n\r\n"));
    const bool is_coded = head.find("Content-Encoding: gzip") != head.npos;
    BOOST_TEST((head.find("Vary: Accept-Encoding") != head.npos) == is_coded);
    if (!is_coded) BOOST_TEST(got.size() - head.size() > 1024u);
    return is_coded;
}

BOOST_AUTO_TEST_CASE(long_answers_are_compressed)
{
    long_lists w;
    BOOST_TEST(is_compressed(w.ask("GET /threads/t1")));
    BOOST_TEST(is_compressed(w.ask("POST /threads/search", "{}")));
    BOOST_TEST(is_compressed(w.ask("GET /openapi.json")));
}

BOOST_AUTO_TEST_CASE(answers_that_show_credentials_are_not)
{
    long_lists w;
    BOOST_TEST(!is_compressed(w.ask("GET /admin/keys")));
    std::string scopes = R"("threads:read")";
    for (int i = 1; i < 90; ++i) scopes += R"(,"threads:read")";
    BOOST_TEST(!is_compressed(w.ask("POST /admin/keys", R"({"name":"shop","scopes":[)" + scopes + "]}")));
    BOOST_TEST(!is_compressed(w.ask("POST /runs/crons/search", "{}")));
}

BOOST_AUTO_TEST_CASE(answers_to_what_a_browser_sends_by_itself_are_not)
{
    long_lists w;
    BOOST_TEST(!is_compressed(w.ask("GET /threads/t1", {}, "Cookie: session=1\r\n")));
    BOOST_TEST(is_compressed(w.ask("GET /threads/t1")));
}

BOOST_AUTO_TEST_SUITE_END()
