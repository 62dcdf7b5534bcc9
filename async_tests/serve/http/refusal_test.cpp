#include <boost/test/unit_test.hpp>

#include "serve/http/refusal.hpp"

#include <weft/base/error.hpp>
#include <weft/net/server/http_error.hpp>

BOOST_AUTO_TEST_SUITE(refusal_test)

using weft::errc;
using weft::error;
using weft::serve_detail::refusal;
using weft::serve_detail::refusal_for;

refusal of(errc code) { return refusal_for(std::make_exception_ptr(error{code, "where", "a secret path"})); }

BOOST_AUTO_TEST_CASE(mistakes_of_clients_have_their_status_and_text)
{
    BOOST_TEST(of(errc::thread_not_found).status == 404);
    BOOST_TEST(of(errc::thread_is_busy).status == 409);
    BOOST_TEST(of(errc::invalid_answer).status == 422);
    BOOST_TEST(of(errc::invalid_answer).code == "invalid_answer");
    BOOST_TEST(of(errc::invalid_answer).message.find("a secret path") != std::string::npos);
    BOOST_TEST(of(errc::limit_reached).status == 429);
    BOOST_TEST(of(errc::limit_reached).retry_after_s == 1);
}

BOOST_AUTO_TEST_CASE(trouble_of_the_server_stays_inside)
{
    for (const errc code : {errc::store_corrupt, errc::store_refused, errc::node_failed}) {
        BOOST_TEST(of(code).status == 500);
        BOOST_TEST(of(code).is_of_server);
        BOOST_TEST(of(code).message.find("secret") == std::string::npos);
    }
    const refusal away = of(errc::store_unavailable);
    BOOST_TEST(away.status == 503);
    BOOST_TEST(away.retry_after_s == 1);
    BOOST_TEST(away.message.find("secret") == std::string::npos);
    BOOST_TEST(refusal_for(std::make_exception_ptr(7)).status == 500);
}

BOOST_AUTO_TEST_CASE(what_a_route_refuses_is_told_as_it_says)
{
    const refusal told = refusal_for(std::make_exception_ptr(weft::http_error{418, "teapot", "no coffee"}));
    BOOST_TEST(told.status == 418);
    BOOST_TEST(told.code == "teapot");
    BOOST_TEST(told.message == "no coffee");
    BOOST_TEST(!told.is_of_server);
}

BOOST_AUTO_TEST_SUITE_END()
