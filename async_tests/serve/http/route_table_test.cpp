#include <boost/test/unit_test.hpp>

#include "serve/http/route_table.hpp"

#include <weft/base/error.hpp>

BOOST_AUTO_TEST_SUITE(route_table_test)

using weft::serve_detail::api_call;
using weft::serve_detail::route;
using weft::serve_detail::route_table;

route_table some()
{
    route_table routes;
    const auto nothing = [](api_call&) { return weft::task<void>{}; };
    for (const auto& [method, pattern] : {std::pair{"GET", "/ok"},
                                          {"POST", "/threads"},
                                          {"POST", "/threads/search"},
                                          {"GET", "/threads/{id}"},
                                          {"DELETE", "/threads/{id}"},
                                          {"GET", "/threads/{id}/runs/{run}"},
                                          {"GET", "/threads/{id}/state"}})
        routes.add({method, pattern, {}, nothing});
    return routes;
}

std::string found(std::string_view method, std::string_view path)
{
    const route_table routes = some();
    const route_table::found result = routes.find(method, path);
    std::string text = result.which ? result.which->pattern : "none, allowed: " + result.allowed;
    for (const std::string& part : result.parts)
        if (result.which) text += ' ' + part;
    return text;
}

BOOST_AUTO_TEST_CASE(a_route_is_found_by_method_and_path)
{
    BOOST_TEST(found("GET", "/ok") == "/ok");
    BOOST_TEST(found("GET", "/ok/") == "/ok");
    BOOST_TEST(found("HEAD", "/ok") == "/ok");
    BOOST_TEST(found("GET", "/threads/t1") == "/threads/{id} t1");
    BOOST_TEST(found("GET", "/threads/t1/runs/r1") == "/threads/{id}/runs/{run} t1 r1");
    BOOST_TEST(found("POST", "/threads/search") == "/threads/search");
}

BOOST_AUTO_TEST_CASE(a_word_that_is_written_out_goes_before_any_text)
{
    BOOST_TEST(found("GET", "/threads/search") == "none, allowed: POST");
    BOOST_TEST(found("GET", "/threads/search/state") == "/threads/{id}/state search");
}

BOOST_AUTO_TEST_CASE(parts_are_decoded_and_never_empty)
{
    BOOST_TEST(found("GET", "/threads/a%20b%2Fc") == "/threads/{id} a b/c");
    BOOST_TEST(found("GET", "/threads//state") == "none, allowed: ");
    BOOST_TEST(found("GET", "/threads/%zz") == "none, allowed: ");
    BOOST_TEST(found("GET", "/threads/%00") == "none, allowed: ");
}

BOOST_AUTO_TEST_CASE(what_is_not_there_says_what_is_allowed)
{
    BOOST_TEST(found("PUT", "/threads/t1") == "none, allowed: DELETE, GET");
    BOOST_TEST(found("GET", "/nonsense") == "none, allowed: ");
    BOOST_TEST(found("GET", "/") == "none, allowed: ");
}

BOOST_AUTO_TEST_CASE(a_route_is_added_once)
{
    route_table routes = some();
    BOOST_CHECK_EXCEPTION(routes.add({"GET", "/ok", {}, nullptr}), weft::error, [](const weft::error& e) {
        return std::string_view{e.what()}.find("GET /ok") != std::string_view::npos;
    });
    BOOST_TEST(routes.all().size() == 7u);
    BOOST_TEST(routes.all().front()->pattern == "/ok");
}

BOOST_AUTO_TEST_SUITE_END()
