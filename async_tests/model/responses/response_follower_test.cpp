#include <boost/test/unit_test.hpp>

#include "model/responses/response_follower.hpp"
#include "model/responses/responses_provider.hpp"

#include <weft/base/error.hpp>
#include <weft/net/http_client.hpp>

#include <memory>
#include <string>
#include <string_view>

BOOST_AUTO_TEST_SUITE(response_follower_test)

using weft::errc;
using weft::model_error;
using weft::model_failure;
using weft::model_phase;
using weft::model_detail::response_follower;

namespace {

class heard_text final : public weft::chat_sink {
public:
    void on_text(std::string_view piece) override { text.append(piece); }
    std::string text;
};

struct followed {
    std::shared_ptr<const weft::model_detail::provider> from = [] {
        weft::responses_model_options options;
        options.base_url = "http://agents.example/v1";
        options.model = "guide";
        return weft::model_detail::made_provider(weft::http_client{}, weft::model_detail::shared_options(options),
                                                 weft::model_detail::responses_provider(options));
    }();
    heard_text heard;
    response_follower follower{*from, weft::reply_options{.where = "guide"}, heard};

    [[nodiscard]] std::string target() const
    {
        return follower.target(weft::url{"http://agents.example/v1/responses/r"}).target();
    }
};

model_error refused(int status, bool may_pass)
{
    model_failure failure;
    failure.code = may_pass ? errc::model_overloaded : errc::model_rejected;
    failure.phase = model_phase::response;
    failure.status = status;
    failure.is_transient = may_pass;
    return model_error{"guide", std::move(failure)};
}

std::string delta(int number, std::string_view text)
{
    return R"(data: {"type":"response.output_text.delta","output_index":0,"item_id":"m","sequence_number":)" +
           std::to_string(number) + R"(,"delta":")" + std::string{text} + "\"}\n\n";
}

constexpr std::string_view whole =
    R"({"id":"r","object":"response","status":"completed","output":[{"type":"message","id":"m","role":"assistant",)"
    R"("status":"completed","content":[{"type":"output_text","text":"It is old."}]}]})";

}  // namespace

BOOST_AUTO_TEST_CASE(a_stream_that_breaks_off_goes_on_behind_its_last_event)
{
    followed it;
    BOOST_TEST(it.target() == "/v1/responses/r?stream=true");
    it.follower.begin_stream();
    BOOST_TEST(it.follower.take(delta(4, "It is ")));
    it.follower.end_stream();
    BOOST_TEST(!it.follower.is_over());
    BOOST_TEST((it.follower.pause() == std::chrono::seconds{1}));
    BOOST_TEST(it.target() == "/v1/responses/r?stream=true&starting_after=4");
    it.follower.begin_stream();
    // An endpoint that begins anew is heard once.
    BOOST_TEST(it.follower.take(delta(4, "It is ") + delta(5, "old.")));
    BOOST_TEST(it.heard.text == "It is old.");
    const std::string end = "data: {\"type\":\"response.completed\",\"sequence_number\":6,\"response\":" +
                            std::string{whole} + "}\n\n";
    BOOST_TEST(!it.follower.take(end));
    BOOST_TEST(it.follower.is_over());
    BOOST_TEST(it.follower.finish().message.text() == "It is old.");
    BOOST_TEST(it.heard.text == "It is old.");
}

BOOST_AUTO_TEST_CASE(an_endpoint_that_does_not_stream_is_asked_for_documents)
{
    followed it;
    it.follower.take_failure(refused(400, false));
    BOOST_TEST(it.target() == "/v1/responses/r");
    it.follower.take_document(R"({"id":"r","status":"in_progress"})");
    BOOST_TEST(!it.follower.is_over());
    it.follower.take_document(std::string{whole});
    BOOST_TEST(it.follower.finish().message.text() == "It is old.");
    followed gone;
    BOOST_CHECK_THROW(gone.follower.take_failure(refused(404, false)), model_error);
    followed refuses;
    refuses.follower.take_failure(refused(400, false));
    BOOST_CHECK_THROW(refuses.follower.take_failure(refused(400, false)), model_error);
}

BOOST_AUTO_TEST_CASE(failures_that_may_pass_are_borne_up_to_sixty_in_a_row)
{
    followed it;
    for (int i = 0; i < 59; ++i) it.follower.take_failure(refused(503, true));
    it.follower.take_document(R"({"id":"r","status":"queued"})");
    for (int i = 0; i < 59; ++i) it.follower.take_failure(refused(503, true));
    BOOST_CHECK_THROW(it.follower.take_failure(refused(503, true)), model_error);
}

BOOST_AUTO_TEST_CASE(a_response_that_has_failed_is_over_and_does_not_pass)
{
    followed it;
    it.follower.take_document(R"({"id":"r","object":"response","status":"failed","output":[],)"
                              R"("error":{"code":"server_error","message":"ink"}})");
    BOOST_TEST(it.follower.is_over());
    try {
        (void)it.follower.finish();
        BOOST_FAIL("it has not failed");
    } catch (const model_error& e) {
        BOOST_TEST((e.code() == errc::model_overloaded));
        BOOST_TEST(!e.failure().is_transient);
    }
    followed cancelled;
    cancelled.follower.take_document(R"({"id":"r","object":"response","status":"cancelled","output":[]})");
    try {
        (void)cancelled.follower.finish();
        BOOST_FAIL("it has not failed");
    } catch (const model_error& e) {
        BOOST_TEST(e.failure().provider_code == "cancelled");
    }
}

BOOST_AUTO_TEST_SUITE_END()
