#include <boost/test/unit_test.hpp>

#include <weft/model/model_error.hpp>

#include <string>
#include <type_traits>

BOOST_AUTO_TEST_SUITE(model_error_test)

using weft::errc;
using weft::model_error;
using weft::model_failure;

namespace {

model_failure failure(bool is_transient, bool has_delivered)
{
    model_failure f;
    f.code = errc::model_overloaded;
    f.detail = "busy";
    f.is_transient = is_transient;
    f.has_delivered = has_delivered;
    f.partial.message = weft::message::assistant("so far");
    return f;
}

}  // namespace

BOOST_AUTO_TEST_CASE(it_is_an_error_like_others_and_keeps_the_partial_reply)
{
    try {
        throw model_error{"gpt-x at h:443", failure(true, false)};
    } catch (const weft::error& e) {
        BOOST_TEST(std::string{e.what()} == "gpt-x at h:443: the endpoint is overloaded or failing: busy");
        const auto* model = dynamic_cast<const model_error*>(&e);
        BOOST_REQUIRE(model);
        BOOST_TEST(model->partial().message.text() == "so far");
    }
}

BOOST_AUTO_TEST_CASE(only_what_may_pass_and_was_not_seen_is_repeated)
{
    BOOST_TEST(model_error("", failure(true, false)).is_retryable());
    BOOST_TEST(!model_error("", failure(true, true)).is_retryable());
    BOOST_TEST(!model_error("", failure(false, false)).is_retryable());
    BOOST_TEST(!model_error("", failure(false, true)).is_retryable());
}

BOOST_AUTO_TEST_CASE(errors_of_the_wire_may_pass_and_certificates_do_not)
{
    for (const errc code :
         {errc::resolve_failed, errc::connect_failed, errc::connect_timeout, errc::connection_lost, errc::send_timeout,
          errc::first_byte_timeout, errc::gap_timeout, errc::response_truncated, errc::tls_failed})
        BOOST_TEST(weft::is_transient(code));
    for (const errc code : {errc::tls_untrusted, errc::tls_expired, errc::tls_wrong_host, errc::cancelled,
                            errc::invalid_configuration, errc::invalid_response, errc::response_too_large,
                            errc::invalid_model_reply, errc::model_unauthorized, errc::model_quota_exhausted})
        BOOST_TEST(!weft::is_transient(code));
}

BOOST_AUTO_TEST_SUITE_END()
