#include <boost/test/unit_test.hpp>

#include <weft/base/json.hpp>
#include <weft/net/secret_string.hpp>

#include "model/anthropic/anthropic_provider.hpp"
#include "model/judged_answer.hpp"

#include <string>
#include <utility>
#include <vector>

BOOST_AUTO_TEST_SUITE(anthropic_error_test)

using weft::errc;
using weft::model_failure;
using weft::model_detail::anthropic_errors;
using weft::model_detail::reported_failure;
using namespace std::chrono_literals;

namespace {

const weft::secret_string key{"sk-TEST-0123456789abcdef"};

model_failure judge(int status, std::string_view body, const weft_tests::header_list& headers = {})
{
    return weft_tests::judged_answer(status, body, headers, key, anthropic_errors);
}

std::string body_of(std::string_view type, std::string_view details = "null")
{
    return R"({"type":"error","error":{"type":")" + std::string{type} + R"(","message":"m","details":)" +
           std::string{details} + R"(},"request_id":"req_b"})";
}

model_failure report(std::string_view type)
{
    return reported_failure(weft::parse_json(body_of(type)).as_object(), key, anthropic_errors);
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_type_has_its_status_and_meaning)
{
    struct expectation {
        std::string_view type;
        int status;
        errc code;
        bool is_transient;
    };
    const expectation cases[] = {
        {"invalid_request_error", 400, errc::model_rejected, false},
        {"authentication_error", 401, errc::model_unauthorized, false},
        {"billing_error", 402, errc::model_quota_exhausted, false},
        {"permission_error", 403, errc::model_unauthorized, false},
        {"not_found_error", 404, errc::model_not_found, false},
        {"conflict_error", 409, errc::model_overloaded, true},
        {"request_too_large", 413, errc::model_rejected, false},
        {"rate_limit_error", 429, errc::model_rate_limited, true},
        {"api_error", 500, errc::model_overloaded, true},
        {"timeout_error", 504, errc::model_overloaded, true},
        {"overloaded_error", 529, errc::model_overloaded, true},
    };
    for (const auto& [type, status, code, is_transient] : cases) {
        BOOST_TEST_CONTEXT(type) {
            const model_failure answered = judge(status, body_of(type));
            BOOST_TEST((answered.code == code));
            BOOST_TEST(answered.is_transient == is_transient);
            BOOST_TEST((answered.phase == weft::model_phase::response));
            const model_failure streamed = report(type);
            BOOST_TEST((streamed.code == code));
            BOOST_TEST(streamed.status == status);
            BOOST_TEST(streamed.is_transient == is_transient);
            BOOST_TEST((streamed.phase == weft::model_phase::stream));
            BOOST_TEST(streamed.provider_type == type);
        }
    }
    BOOST_TEST((report("unheard_of").code == errc::model_stream_error));
    BOOST_TEST(report("unheard_of").status == 0);
}

BOOST_AUTO_TEST_CASE(a_spend_limit_is_no_rate_limit)
{
    for (const char* code : {"enforced_spend_limit_reached", "contract_spend_limit_reached"}) {
        const std::string details = R"({"error_code":")" + std::string{code} + R"("})";
        const model_failure f = judge(429, body_of("rate_limit_error", details), {{"retry-after", "7"}});
        BOOST_TEST((f.code == errc::model_quota_exhausted));
        BOOST_TEST(!f.is_transient);
        BOOST_TEST(f.provider_code == code);
        BOOST_TEST(f.detail == "status 429: m (" + std::string{code} + ")");
    }
    const model_failure ramp =
        judge(429, body_of("rate_limit_error", R"({"error_code":"ramp_limit_exceeded"})"), {{"retry-after", "7"}});
    BOOST_TEST((ramp.code == errc::model_rate_limited));
    BOOST_TEST(ramp.is_transient);
    BOOST_TEST((ramp.retry_after == 7s));
}

BOOST_AUTO_TEST_CASE(the_id_of_the_request_is_in_header_and_body)
{
    BOOST_TEST(judge(500, body_of("api_error")).request_id == "req_b");
    BOOST_TEST(judge(500, body_of("api_error"), {{"request-id", "req_h"}}).request_id == "req_h");
    BOOST_TEST(judge(500, "").request_id == "");
    BOOST_TEST(report("api_error").request_id == "req_b");
}

BOOST_AUTO_TEST_CASE(limits_and_hints_are_read_from_the_headers)
{
    const weft_tests::header_list headers = {{"date", "Sun, 22 Nov 2026 08:49:37 GMT"},
                                 {"anthropic-ratelimit-requests-limit", "50"},
                                 {"anthropic-ratelimit-requests-remaining", "0"},
                                 {"anthropic-ratelimit-requests-reset", "2026-11-22T08:49:49Z"},
                                 {"anthropic-ratelimit-tokens-remaining", "100"},
                                 {"anthropic-ratelimit-tokens-reset", "2026-11-22T08:59:37Z"}};
    const model_failure f = judge(429, body_of("rate_limit_error"), headers);
    BOOST_TEST((f.retry_after == 12s));
    BOOST_TEST((f.partial.rate_limits.requests == weft::rate_limit{50, 0, 12s}));
    BOOST_TEST(judge(500, "", {{"x-should-retry", "false"}}).is_transient == false);
    BOOST_TEST(judge(400, "", {{"x-should-retry", "true"}}).is_transient == true);
}

BOOST_AUTO_TEST_CASE(the_key_is_blotted_out)
{
    const model_failure f =
        judge(401, R"({"error":{"type":"authentication_error","message":"no sk-TEST-0123456789"}})");
    BOOST_TEST(f.detail.find("0123") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
