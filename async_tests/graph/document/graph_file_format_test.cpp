#include <weft/graph/document/graph_file_format.hpp>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(graph_file_format_test)

BOOST_AUTO_TEST_CASE(names_say_what_a_file_is_written_in)
{
    using weft::format_of_file;
    using weft::graph_file_format;
    for (const char* const name : {"a.yaml", "folder/a.yml", "A.YAML", "a.json.yml"})
        BOOST_TEST((format_of_file(name) == graph_file_format::yaml), name);
    for (const char* const name : {"", "a.json", "yaml", ".yaml", "a.yaml.json", "a.yamls"})
        BOOST_TEST((format_of_file(name) == graph_file_format::json), name);
}

BOOST_AUTO_TEST_SUITE_END()
