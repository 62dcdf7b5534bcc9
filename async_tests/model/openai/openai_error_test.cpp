#include <boost/test/unit_test.hpp>

#include <weft/base/json.hpp>
#include <weft/net/options/http_response_head.hpp>
#include <weft/net/secret_string.hpp>

#include "model/openai/openai_provider.hpp"

#include <string>
#include <utility>
#include <vector>

BOOST_AUTO_TEST_SUITE(openai_error_test)

using weft::errc;
using weft::model_failure;
using weft::model_detail::openai_errors;
using weft::model_detail::reported_failure;
using weft::model_detail::reports_error;
using weft::model_detail::response_failure;
using weft::model_phase;
using namespace std::chrono_literals;

namespace {

const weft::secret_string key{"sk-TEST-0123456789abcdef"};

using header_list = std::vector<std::pair<std::string, std::string>>;

weft::http_response_head head(int status, const header_list& headers = {{"content-type", "application/json"}})
{
    weft::http_response_head result;
    result.status = status;
    for (const auto& [name, value] : headers) result.headers.add(name, value);
    return result;
}

model_failure judge(int status, std::string_view body = "")
{
    return response_failure(head(status), body, key, openai_errors);
}

model_failure report(std::string_view json)
{
    return reported_failure(weft::parse_json(json).as_object(), key, openai_errors);
}

std::string error_body(std::string_view type, std::string_view code)
{
    return R"({"error":{"message":"m","type":")" + std::string{type} + R"(","param":null,"code":")" +
           std::string{code} + R"("}})";
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_status_says_what_failed_and_whether_to_try_again)
{
    struct expectation {
        int status;
        errc code;
        bool is_transient;
    };
    const expectation cases[] = {
        {400, errc::model_rejected, false},     {401, errc::model_unauthorized, false},
        {402, errc::model_quota_exhausted, false}, {403, errc::model_unauthorized, false},
        {404, errc::model_not_found, false},    {405, errc::model_rejected, false},
        {408, errc::model_overloaded, true},    {409, errc::model_overloaded, true},
        {410, errc::model_rejected, false},     {413, errc::model_rejected, false},
        {415, errc::model_rejected, false},     {422, errc::model_rejected, false},
        {425, errc::model_overloaded, true},    {429, errc::model_rate_limited, true},
        {498, errc::model_overloaded, true},    {500, errc::model_overloaded, true},
        {501, errc::model_rejected, false},     {502, errc::model_overloaded, true},
        {503, errc::model_overloaded, true},    {504, errc::model_overloaded, true},
        {505, errc::model_rejected, false},     {520, errc::model_overloaded, true},
        {524, errc::model_overloaded, true},    {529, errc::model_overloaded, true},
        {302, errc::invalid_configuration, false}, {307, errc::invalid_configuration, false},
    };
    for (const auto& [status, code, is_transient] : cases) {
        const model_failure f = judge(status, R"({"error":{"message":"m"}})");
        BOOST_TEST_CONTEXT(status) {
            BOOST_TEST((f.code == code));
            BOOST_TEST(f.is_transient == is_transient);
            BOOST_TEST((f.phase == model_phase::response));
            BOOST_TEST(f.status == status);
            BOOST_TEST(f.detail.find("status " + std::to_string(status)) == 0);
        }
    }
}

BOOST_AUTO_TEST_CASE(an_exhausted_account_is_no_rate_limit)
{
    for (const char* code :
         {"insufficient_quota", "credit_balance_exhausted", "organization_spend_limit_exceeded",
          "project_spend_limit_exceeded", "organization_usage_limit_exceeded", "billing_hard_limit_reached"}) {
        BOOST_TEST((judge(429, error_body("", code)).code == errc::model_quota_exhausted));
        BOOST_TEST((judge(429, error_body(code, "")).code == errc::model_quota_exhausted));
        BOOST_TEST(!judge(429, error_body("rate_limit_error", code)).is_transient);
    }
}

BOOST_AUTO_TEST_CASE(the_transcript_of_a_rate_limit)
{
    const model_failure f = response_failure(
        head(429, {{"Content-Type", "application/json"},
                   {"retry-after", "7"},
                   {"retry-after-ms", "6500"},
                   {"x-request-id", "req_9"}}),
        R"({"error":{"message":"Rate limit reached for gpt-x","type":"rate_limit_error","param":null,)"
        R"("code":"rate_limit_exceeded"}})",
        key, openai_errors);
    BOOST_TEST((f.code == errc::model_rate_limited));
    BOOST_TEST(f.is_transient);
    BOOST_TEST((f.retry_after == 6500ms));
    BOOST_TEST(f.request_id == "req_9");
    BOOST_TEST(f.partial.request_id == "req_9");
    BOOST_TEST(f.provider_type == "rate_limit_error");
    BOOST_TEST(f.provider_code == "rate_limit_exceeded");
    BOOST_TEST(f.detail == "status 429: Rate limit reached for gpt-x (rate_limit_exceeded)");
}

BOOST_AUTO_TEST_CASE(the_message_is_found_in_every_shape)
{
    const std::pair<std::string_view, std::string_view> cases[] = {
        {R"({"error":{"message":"boom","type":null,"param":null,"code":null}})", "boom"},
        {R"({"error":"boom"})", "boom"},
        {R"({"message":"boom"})", "boom"},
        {R"({"error":{"code":"x"},"message":"boom"})", "boom (x)"},
        {R"({"object":"error","message":"boom","type":"BadRequestError","code":400})", "boom (BadRequestError)"},
        {R"({"detail":"boom"})", "boom"},
        {R"({"detail":[{"loc":["body","x"],"msg":"is wrong","type":"t"},{"msg":"and short"},"oh"]})",
         R"(["body","x"]: is wrong; and short; oh)"},
        {R"([{"error":{"message":"boom","code":400}}])", "boom"},
        {"boom", "boom"},
        {"{\"error\":", "{\"error\":"},
        {"[]", "[]"},
        {"7", "7"},
    };
    for (const auto& [body, message] : cases)
        BOOST_TEST(judge(400, body).detail == "status 400: " + std::string{message});
    BOOST_TEST(judge(500, "").detail == "status 500");
}

BOOST_AUTO_TEST_CASE(long_and_broken_text_is_bounded_and_repaired)
{
    const model_failure longest = judge(400, std::string(60'000, 'x'));
    BOOST_TEST(longest.detail.size() < 2200);
    BOOST_TEST(longest.detail.ends_with("x…"));
    BOOST_TEST(judge(400, "a\xff" "b").detail == "status 400: a\uFFFD" "b");
    BOOST_TEST(judge(400, std::string(100'000, '[')).detail.size() < 2200);
}

BOOST_AUTO_TEST_CASE(a_web_page_is_not_repeated)
{
    const model_failure f = response_failure(head(502, {{"content-type", "text/html; charset=utf-8"}}),
                                                          "<html>Bad gateway", key, openai_errors);
    BOOST_TEST((f.code == errc::model_overloaded));
    BOOST_TEST(f.detail == "status 502");
}

BOOST_AUTO_TEST_CASE(a_success_that_is_no_reply)
{
    const model_failure page =
        response_failure(head(200, {{"content-type", "Text/HTML"}}), "<html>", key, openai_errors);
    BOOST_TEST((page.code == errc::invalid_configuration));
    BOOST_TEST(!page.is_transient);
    const model_failure text =
        response_failure(head(200, {{"content-type", "text/plain"}}), "hello", key, openai_errors);
    BOOST_TEST((text.code == errc::invalid_model_reply));
    BOOST_TEST(!text.is_transient);
    BOOST_TEST(text.detail.find("\"text/plain\"") != std::string::npos);
    const model_failure nothing = response_failure(head(204, {{"content-type", "text/plain"}}), "", key, openai_errors);
    BOOST_TEST((nothing.code == errc::invalid_model_reply));
    BOOST_TEST(nothing.is_transient);
}

BOOST_AUTO_TEST_CASE(the_server_may_overrule_the_table)
{
    const auto with = [](int status, std::string_view word) {
        return response_failure(head(status, {{"x-should-retry", std::string{word}}}), "", key, openai_errors)
            .is_transient;
    };
    BOOST_TEST(with(400, "true"));
    BOOST_TEST(!with(500, "false"));
    BOOST_TEST(with(500, "maybe"));
    BOOST_TEST(!with(400, "maybe"));
}

BOOST_AUTO_TEST_CASE(a_used_up_limit_says_how_long_to_wait)
{
    const header_list limits = {{"x-ratelimit-remaining-requests", "0"}, {"x-ratelimit-reset-requests", "1s"},
                                {"x-ratelimit-remaining-tokens", "0"},   {"x-ratelimit-reset-tokens", "6m0s"}};
    const auto wait = [&](int status) {
        return response_failure(head(status, limits), "", key, openai_errors).retry_after;
    };
    BOOST_TEST((wait(429) == 360s));
    BOOST_TEST((wait(500) == std::nullopt));
    header_list enough = limits;
    enough[2].second = "500";
    BOOST_TEST((response_failure(head(429, enough), "", key, openai_errors).retry_after == 1s));
    header_list hint = limits;
    hint.emplace_back("retry-after", "2");
    BOOST_TEST((response_failure(head(429, hint), "", key, openai_errors).retry_after == 2s));
    BOOST_TEST(
        (response_failure(head(429, limits), "", key, openai_errors).partial.rate_limits.tokens.reset_after == 360s));
}

BOOST_AUTO_TEST_CASE(the_key_is_blotted_out)
{
    const model_failure f = judge(
        401,
        R"({"error":{"message":"Incorrect API key provided: sk-TEST-0123456789abcdef. Yes, sk-TEST-012345",)"
        R"("type":"t sk-TEST-0123456789abcdef","code":"invalid_api_key"}})");
    BOOST_TEST(f.detail.find("0123") == std::string::npos);
    BOOST_TEST(f.detail.find("Incorrect API key provided: ***") != std::string::npos);
    BOOST_TEST(f.provider_type == "t ***");
}

BOOST_AUTO_TEST_CASE(a_reported_error_counts_as_if_by_its_status)
{
    BOOST_TEST((report(R"({"error":{"message":"m","code":429}})").code == errc::model_rate_limited));
    BOOST_TEST((report(R"({"error":{"message":"m","code":"502"}})").code == errc::model_overloaded));
    BOOST_TEST(report(R"({"error":{"message":"m","code":"502"}})").status == 502);
    BOOST_TEST(report(R"({"error":{"message":"m","code":"502"}})").detail == "status 502: m");
    BOOST_TEST((report(R"({"message":"m","code":401})").code == errc::model_unauthorized));
    BOOST_TEST((report(R"({"error":{"code":7}})").code == errc::model_stream_error));
    BOOST_TEST(report(R"({"error":{}})").detail == "no reason is given");
}

BOOST_AUTO_TEST_CASE(a_reported_error_without_status_counts_by_its_words)
{
    const std::pair<std::string_view, errc> cases[] = {
        {"rate_limit_exceeded", errc::model_rate_limited},   {"server_error", errc::model_overloaded},
        {"InternalServerError", errc::model_overloaded},     {"unavailable_error", errc::model_overloaded},
        {"context_length_exceeded", errc::model_rejected},   {"exceed_context_size_error", errc::model_rejected},
        {"invalid_api_key", errc::model_unauthorized},       {"model_not_found", errc::model_not_found},
        {"insufficient_quota", errc::model_quota_exhausted}, {"something_else", errc::model_stream_error},
    };
    for (const auto& [word, code] : cases) {
        BOOST_TEST((report(error_body("", word)).code == code));
        BOOST_TEST((report(error_body(word, "")).code == code));
        BOOST_TEST((report(error_body(word, "unheard_of")).code == code));
        BOOST_TEST((report(error_body(word, "")).phase == model_phase::stream));
    }
}

BOOST_AUTO_TEST_CASE(a_chunk_reports_an_error_or_it_does_not)
{
    const auto reports = [](std::string_view json) { return reports_error(weft::parse_json(json).as_object()); };
    BOOST_TEST(reports(R"({"error":{"message":"m"}})"));
    BOOST_TEST(reports(R"({"error":"m"})"));
    BOOST_TEST(reports(R"({"object":"error"})"));
    BOOST_TEST(!reports(R"({"error":null})"));
    BOOST_TEST(!reports(R"({"error":{}})"));
    BOOST_TEST(!reports(R"({"error":""})"));
    BOOST_TEST(!reports(R"({"error":false})"));
    BOOST_TEST(!reports(R"({"object":"chat.completion.chunk","message":"error"})"));
}

BOOST_AUTO_TEST_SUITE_END()
