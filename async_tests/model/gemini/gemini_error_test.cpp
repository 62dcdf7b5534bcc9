#include <boost/test/unit_test.hpp>

#include <weft/base/json.hpp>
#include <weft/net/secret_string.hpp>

#include "model/gemini/gemini_provider.hpp"
#include "model/judged_answer.hpp"

#include <string>
#include <utility>
#include <vector>

BOOST_AUTO_TEST_SUITE(gemini_error_test)

using weft::errc;
using weft::model_failure;
using weft::model_detail::gemini_errors;
using weft::model_detail::reported_failure;
using namespace std::chrono_literals;

namespace {

const weft::secret_string key{"AIzaTEST-0123456789abcdef"};

model_failure judge(int status, std::string_view body, const weft_tests::header_list& headers = {})
{
    return weft_tests::judged_answer(status, body, headers, key, gemini_errors);
}

std::string body_of(int code, std::string_view status, std::string_view details = "")
{
    return R"({"error":{"code":)" + std::to_string(code) + R"(,"message":"m","status":")" + std::string{status} +
           R"(","details":[)" + std::string{details} + "]}}";
}

constexpr std::string_view retry_in_30_s =
    R"({"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"30s"})";

std::string quota(std::string_view id)
{
    return R"({"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[null,{"quotaId":")" +
           std::string{id} + R"("}]})";
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_status_has_its_meaning)
{
    struct expectation {
        std::string_view word;
        int status;
        errc code;
        bool is_transient;
    };
    const expectation cases[] = {
        {"INVALID_ARGUMENT", 400, errc::model_rejected, false},
        {"FAILED_PRECONDITION", 400, errc::model_rejected, false},
        {"UNAUTHENTICATED", 401, errc::model_unauthorized, false},
        {"PERMISSION_DENIED", 403, errc::model_unauthorized, false},
        {"NOT_FOUND", 404, errc::model_not_found, false},
        {"ABORTED", 409, errc::model_overloaded, true},
        {"RESOURCE_EXHAUSTED", 429, errc::model_rate_limited, true},
        {"CANCELLED", 499, errc::model_rejected, false},
        {"INTERNAL", 500, errc::model_overloaded, true},
        {"UNAVAILABLE", 503, errc::model_overloaded, true},
        {"DEADLINE_EXCEEDED", 504, errc::model_overloaded, true},
    };
    for (const auto& [word, status, code, is_transient] : cases) {
        BOOST_TEST_CONTEXT(word) {
            const model_failure answered = judge(status, body_of(status, word));
            BOOST_TEST((answered.code == code));
            BOOST_TEST(answered.is_transient == is_transient);
            BOOST_TEST(answered.provider_type == word);
            BOOST_TEST(answered.detail == "status " + std::to_string(status) + ": m (" + std::string{word} + ")");
            // In a stream, the word alone says the same.
            const std::string report = R"({"error":{"status":")" + std::string{word} + R"("}})";
            const model_failure streamed =
                reported_failure(weft::parse_json(report).as_object(), key, gemini_errors);
            BOOST_TEST((streamed.code == code));
            BOOST_TEST(streamed.status == status);
        }
    }
    BOOST_TEST((judge(402, "").code == errc::model_quota_exhausted));
}

BOOST_AUTO_TEST_CASE(the_wait_stands_in_the_body)
{
    BOOST_TEST((judge(429, body_of(429, "RESOURCE_EXHAUSTED", retry_in_30_s)).retry_after == 30s));
    BOOST_TEST((judge(429, body_of(429, "RESOURCE_EXHAUSTED",
                                   R"({"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"0.5s"})"))
                    .retry_after == 500ms));
    BOOST_TEST((judge(429, body_of(429, "RESOURCE_EXHAUSTED", retry_in_30_s), {{"retry-after", "7"}}).retry_after ==
                7s));
    BOOST_TEST((judge(429, body_of(429, "RESOURCE_EXHAUSTED",
                                   R"(7,{"@type":7},{"@type":"type.googleapis.com/google.rpc.RetryInfo"},)"
                                   R"({"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"soon"})"))
                    .retry_after == std::nullopt));
}

BOOST_AUTO_TEST_CASE(a_quota_per_day_is_no_rate_limit)
{
    const std::string id = "GenerateRequestsPerDayPerProjectPerModel-FreeTier";
    const model_failure day =
        judge(429, body_of(429, "RESOURCE_EXHAUSTED", quota(id) + "," + std::string{retry_in_30_s}));
    BOOST_TEST((day.code == errc::model_quota_exhausted));
    BOOST_TEST(!day.is_transient);
    BOOST_TEST(day.provider_code == id);
    const model_failure minute =
        judge(429, body_of(429, "RESOURCE_EXHAUSTED", quota("GenerateRequestsPerMinutePerProject")));
    BOOST_TEST((minute.code == errc::model_rate_limited));
    BOOST_TEST(minute.is_transient);
}

BOOST_AUTO_TEST_CASE(a_wrong_key_is_no_wrong_request)
{
    const model_failure f = judge(
        400, body_of(400, "INVALID_ARGUMENT",
                     R"({"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"})"));
    BOOST_TEST((f.code == errc::model_unauthorized));
    BOOST_TEST(f.provider_code == "API_KEY_INVALID");
}

BOOST_AUTO_TEST_CASE(an_array_of_errors_is_one)
{
    BOOST_TEST((judge(503, "[" + body_of(503, "UNAVAILABLE") + "]").detail == "status 503: m (UNAVAILABLE)"));
}

BOOST_AUTO_TEST_CASE(the_key_is_blotted_out)
{
    const model_failure f =
        judge(400, R"({"error":{"code":400,"message":"bad key AIzaTEST-0123456789abcdef"}})");
    BOOST_TEST(f.detail.find("0123") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
