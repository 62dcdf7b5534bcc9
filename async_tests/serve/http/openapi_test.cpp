#include <boost/test/unit_test.hpp>

#include "serve/http/openapi.hpp"

#include <boost/json/serialize.hpp>

BOOST_AUTO_TEST_SUITE(openapi_test)

using namespace weft::serve_detail;

BOOST_AUTO_TEST_CASE(routes_are_described_by_path_and_method)
{
    route_table routes;
    const auto nothing = [](api_call&) { return weft::task<void>{}; };
    routes.add({"GET", "/threads/{id}/runs/{run}", {}, nothing});
    routes.add({"POST", "/threads", {}, nothing});
    routes.add({"DELETE", "/threads/{id}/runs/{run}", {}, nothing});
    const boost::json::object described = describe_routes(routes);
    BOOST_TEST(described.at("openapi").as_string() == "3.1.0");
    const boost::json::object& paths = described.at("paths").as_object();
    BOOST_TEST(paths.size() == 2u);
    BOOST_TEST(paths.at("/threads").at("post").as_object().contains("requestBody"));
    const boost::json::object& run = paths.at("/threads/{id}/runs/{run}").as_object();
    BOOST_TEST(run.contains("delete"));
    BOOST_TEST(!run.at("get").as_object().contains("requestBody"));
    const boost::json::array& parameters = run.at("get").at("parameters").as_array();
    BOOST_TEST(parameters.size() == 2u);
    BOOST_TEST(parameters.at(1).at("name").as_string() == "run");
    BOOST_TEST(parameters.at(1).at("in").as_string() == "path");
}

BOOST_AUTO_TEST_SUITE_END()
