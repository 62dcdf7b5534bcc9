#include <boost/test/unit_test.hpp>

#include <weft/agent/host/webhook_gate.hpp>
#include <weft/agent/host/webhook_signature.hpp>
#include <weft/base/error.hpp>

#include <boost/json/serialize.hpp>

#include <string>
#include <utility>

BOOST_AUTO_TEST_SUITE(webhook_gate_test)

namespace {

weft::webhook_gate two_gates()
{
    weft::webhook_gate gate;
    gate.add({.path = "/hooks/open", .entry_point = "open"});
    gate.add({.path = "/hooks/signed", .entry_point = "signed", .secret = weft::secret_string{"s3cret"}});
    return gate;
}

weft::webhook_request request_to(std::string path, std::string body = {})
{
    weft::webhook_request made;
    made.path = std::move(path);
    made.body = std::move(body);
    return made;
}

std::string payload_text(const weft::webhook_answer& answer)
{
    return answer.delivery ? boost::json::serialize(answer.delivery->payload) : "none";
}

bool is_refused(weft::webhook_gate& gate, weft::webhook_route route)
{
    try {
        gate.add(std::move(route));
    } catch (const weft::error& e) {
        return e.code() == weft::errc::invalid_configuration;
    }
    return false;
}

}  // namespace

BOOST_AUTO_TEST_CASE(HIV_42_a_webhook_is_accepted_with_202)
{
    const weft::webhook_answer answer = two_gates().receive(request_to("/hooks/open?x=1", R"({"order":7})"));
    BOOST_TEST(answer.status == 202u);
    BOOST_TEST(boost::json::serialize(answer.body) == R"({"status":"accepted"})");
    BOOST_REQUIRE(answer.delivery.has_value());
    BOOST_TEST(answer.delivery->entry_point == "open");
    BOOST_TEST(payload_text(answer) == R"({"order":7})");
    BOOST_TEST(answer.delivery->idempotency_key == "");
}

BOOST_AUTO_TEST_CASE(HIV_42_another_path_method_or_size_is_refused)
{
    const weft::webhook_gate gate = two_gates();
    BOOST_TEST(gate.receive(request_to("/hooks")).status == 404u);
    BOOST_TEST(gate.receive(request_to("/hooks/open/")).status == 404u);
    weft::webhook_request got = request_to("/hooks/open");
    got.method = "GET";
    BOOST_TEST(gate.receive(got).status == 405u);
    BOOST_TEST(gate.receive(request_to("/hooks/open", std::string(1'024 * 1'024 + 1, ' '))).status == 413u);
    BOOST_TEST(!gate.receive(request_to("/hooks")).delivery.has_value());
}

BOOST_AUTO_TEST_CASE(HIV_42_a_body_without_json_is_wrapped)
{
    const weft::webhook_gate gate = two_gates();
    BOOST_TEST(payload_text(gate.receive(request_to("/hooks/open", "a=1&b=2"))) == R"({"raw_body":"a=1&b=2"})");
    BOOST_TEST(payload_text(gate.receive(request_to("/hooks/open", " \n"))) == "{}");
    BOOST_TEST(payload_text(gate.receive(request_to("/hooks/open", "[1]"))) == "[1]");
}

BOOST_AUTO_TEST_CASE(HIV_42_a_signature_that_is_missing_or_wrong_is_401)
{
    const weft::webhook_gate gate = two_gates();
    weft::webhook_request request = request_to("/hooks/signed", R"({"order":7})");
    BOOST_TEST(gate.receive(request).status == 401u);
    request.headers.add("X-Hub-Signature-256", weft::webhook_signature(request.body, weft::secret_string{"wrong"}));
    BOOST_TEST(gate.receive(request).status == 401u);
    BOOST_TEST(!gate.receive(request).delivery.has_value());
    request.headers.set("x-hub-signature-256", weft::webhook_signature(request.body, weft::secret_string{"s3cret"}));
    BOOST_TEST(gate.receive(request).status == 202u);
    request.body += " ";
    BOOST_TEST(gate.receive(request).status == 401u);
}

BOOST_AUTO_TEST_CASE(the_idempotency_key_comes_from_its_header)
{
    weft::webhook_request request = request_to("/hooks/open");
    request.headers.add("idempotency-key", "k-1");
    const weft::webhook_answer answer = two_gates().receive(request);
    BOOST_REQUIRE(answer.delivery.has_value());
    BOOST_TEST(answer.delivery->idempotency_key == "k-1");
}

BOOST_AUTO_TEST_CASE(routes_that_cannot_be_are_refused)
{
    weft::webhook_gate gate = two_gates();
    BOOST_TEST(is_refused(gate, {.path = "hooks"}));
    BOOST_TEST(is_refused(gate, {.path = "/hooks?x"}));
    BOOST_TEST(is_refused(gate, {.path = "/hooks/open"}));
    BOOST_TEST(is_refused(gate, {.path = "/hooks/empty", .secret = weft::secret_string{}}));
    BOOST_TEST(!is_refused(gate, {.path = "/hooks/fine"}));
}

BOOST_AUTO_TEST_SUITE_END()
