#include <boost/test/unit_test.hpp>

#include <weft/net/options/http_response_head.hpp>

BOOST_AUTO_TEST_SUITE(http_response_head_test)

using weft::http_response_head;

BOOST_AUTO_TEST_CASE(the_media_type_is_lower_case_and_without_parameters)
{
    const auto media_type_of = [](std::string_view value) {
        http_response_head head;
        head.headers.add("Content-Type", value);
        return head.media_type();
    };
    BOOST_TEST(media_type_of("text/event-stream") == "text/event-stream");
    BOOST_TEST(media_type_of("Text/Event-Stream; charset=utf-8") == "text/event-stream");
    BOOST_TEST(media_type_of("application/json ;charset=UTF-8") == "application/json");
    BOOST_TEST(media_type_of(";") == "");
    BOOST_TEST(media_type_of("") == "");
    BOOST_TEST(http_response_head{}.media_type() == "");
}

BOOST_AUTO_TEST_CASE(success_is_two_hundred_and_something)
{
    const auto is_success = [](int status) {
        http_response_head head;
        head.status = status;
        return head.is_success();
    };
    BOOST_TEST(is_success(200));
    BOOST_TEST(is_success(299));
    BOOST_TEST(!is_success(199));
    BOOST_TEST(!is_success(301));
    BOOST_TEST(!is_success(500));
}

BOOST_AUTO_TEST_SUITE_END()
