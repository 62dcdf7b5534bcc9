#include <boost/test/unit_test.hpp>

#include "agent/remote/a2a_wire.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include <boost/json/serialize.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(a2a_wire_test)

using namespace weft::agent_detail;
using weft::errc;

a2a_interface card(std::string_view text) { return read_a2a_card(weft::parse_json(text), "test"); }

BOOST_AUTO_TEST_CASE(the_first_way_of_1_0_is_taken_and_that_of_0_3_if_there_is_no_other)
{
    const a2a_interface rpc = card(R"({"name":"a","capabilities":{"streaming":true},"supportedInterfaces":[
        {"url":"grpc://x","protocolBinding":"GRPC","protocolVersion":"1.0"},
        {"url":"https://x/old","protocolBinding":"JSONRPC","protocolVersion":"0.3"},
        {"url":"https://x/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0","tenant":"t"}]})");
    BOOST_TEST(rpc.at.to_string() == "https://x/a2a");
    BOOST_TEST(rpc.is_rpc);
    BOOST_TEST(!rpc.is_legacy);
    BOOST_TEST(rpc.streams);
    BOOST_TEST(rpc.tenant == "t");
    const a2a_interface http = card(R"({"name":"a","supportedInterfaces":[
        {"url":"https://x/http","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"},
        {"url":"https://x/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]})");
    BOOST_TEST(!http.is_rpc);
    BOOST_TEST(!http.streams);
    const a2a_interface old = card(R"({"name":"a","url":"https://x/old","protocolVersion":"0.3.0"})");
    BOOST_TEST(old.is_legacy);
    BOOST_TEST(old.is_rpc);
    const a2a_interface additional = card(R"({"name":"a","url":"https://x/g","preferredTransport":"GRPC",
        "protocolVersion":"0.3.0","additionalInterfaces":[{"url":"https://x/j","transport":"JSONRPC"}]})");
    BOOST_TEST(additional.at.to_string() == "https://x/j");
    for (const char* const none : {R"({"name":"a"})", R"({"name":"a","supportedInterfaces":[{"url":"https://x",
        "protocolBinding":"JSONRPC","protocolVersion":"2.0"}]})"})
        BOOST_CHECK_EXCEPTION((void)card(none), weft::error,
                              [](const weft::error& e) { return e.code() == errc::agent_refused; });
    for (const char* const none : {"[]", "{}", R"({"name":7})"})
        BOOST_CHECK_EXCEPTION((void)card(none), weft::error,
                              [](const weft::error& e) { return e.code() == errc::unexpected_json; });
}

BOOST_AUTO_TEST_CASE(cards_are_below_the_agent_unless_it_is_one)
{
    const auto at = [](std::string_view agent) { return a2a_card_url(weft::url{agent}).to_string(); };
    BOOST_TEST(at("https://x") == "https://x/.well-known/agent-card.json");
    BOOST_TEST(at("https://x/a2a/chat") == "https://x/a2a/chat/.well-known/agent-card.json");
    BOOST_TEST(at("https://x/cards/7.json") == "https://x/cards/7.json");
}

BOOST_AUTO_TEST_CASE(a_message_has_the_form_of_its_way)
{
    a2a_outgoing words;
    words.id = "k";
    words.parts = weft::parse_json(R"([{"text":"hi"},{"data":[1]}])").as_array();
    words.task = "t";
    words.skill = "s";
    a2a_interface to{weft::url{"https://x/a2a"}, true, false, true, "ten"};
    BOOST_TEST(a2a_send_request(to, words).body ==
               R"({"jsonrpc":"2.0","id":"k","method":"SendStreamingMessage","params":{"message":{"messageId":"k",)"
               R"("role":"ROLE_USER","parts":[{"text":"hi"},{"data":[1]}],"taskId":"t","metadata":{"skill":"s"}},)"
               R"("tenant":"ten"}})");
    to.is_legacy = true;
    to.streams = false;
    to.tenant.clear();
    BOOST_TEST(a2a_send_request(to, words).body ==
               R"({"jsonrpc":"2.0","id":"k","method":"message/send","params":{"message":{"messageId":"k",)"
               R"("role":"user","parts":[{"text":"hi","kind":"text"},{"data":{"value":[1]},"kind":"data"}],)"
               R"("taskId":"t","metadata":{"skill":"s"},"kind":"message"}}})");
    const a2a_interface http{weft::url{"https://x/a"}, false, false, true, "ten"};
    BOOST_TEST(a2a_send_request(http, words).target.to_string() == "https://x/a/ten/message:stream");
    BOOST_TEST(a2a_get_request(http, "17").target.to_string() == "https://x/a/ten/tasks/17");
    BOOST_TEST(a2a_get_request(http, "17").body == "");
}

BOOST_AUTO_TEST_CASE(a_refusal_has_the_words_of_the_agent)
{
    const a2a_interface rpc{weft::url{"https://x/a2a"}, true, false, true, ""};
    const auto code = [&](std::string_view text) {
        try {
            (void)a2a_result(rpc, text, "test");
        } catch (const weft::error& e) {
            return e.code();
        }
        return errc::cancelled;
    };
    BOOST_TEST((code(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"bad"}})") == errc::agent_refused));
    BOOST_TEST((code(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x"}})") == errc::http_unavailable));
    BOOST_TEST((code(R"({"jsonrpc":"2.0","id":1,"result":7})") == errc::unexpected_json));
    BOOST_TEST((code("[]") == errc::unexpected_json));
    BOOST_TEST((code("{") == errc::invalid_json));
    BOOST_CHECK_EXCEPTION((void)a2a_result(rpc, R"({"error":{"code":-32001,"message":"no such task"}})", "here"),
                          weft::error, [](const weft::error& e) {
                              return e.detail() == "it says: no such task" && e.where() == "here";
                          });
}

BOOST_AUTO_TEST_SUITE_END()
