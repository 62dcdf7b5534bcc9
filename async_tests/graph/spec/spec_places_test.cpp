#include <weft/graph/spec/spec_places.hpp>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(spec_places_test)

BOOST_AUTO_TEST_CASE(values_are_found_by_path)
{
    const char* const text = "{\n  \"name\": \"t\",\n"
                             "  \"nodes\": [{\"name\": \"a\"},\n    {\"name\": \"\u00e4\", \"kind\": 1}]\n}";
    const weft::spec_places places{text};
    const weft::json_path whole;
    const weft::json_path nodes{whole, "nodes"};
    const weft::json_path second{nodes, 1};
    const weft::json_path kind{second, "kind"};
    BOOST_TEST((places.of(whole) == weft::text_position{1, 1}));
    BOOST_TEST((places.of(second) == weft::text_position{4, 5}));
    BOOST_TEST((places.of(kind) == weft::text_position{4, 27}));
    const weft::json_path third{nodes, 2};
    BOOST_TEST((places.of(third) == places.of(nodes)));
}

BOOST_AUTO_TEST_SUITE_END()
