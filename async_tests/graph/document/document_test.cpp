#include "graph/document/document.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(document_test)

namespace {

weft::document json_document(std::string_view text, std::size_t mistakes_max = 10)
{
    return {text, weft::graph_file_format::json, {1000, mistakes_max}};
}
weft::document yaml_document(std::string_view text, std::size_t mistakes_max = 10)
{
    return {text, weft::graph_file_format::yaml, {1000, mistakes_max}};
}

/** `line:column path: text` of each mistake. */
std::string listed(const weft::document& from)
{
    std::string all;
    for (const weft::document_mistake& each : from.mistakes().list())
        all += std::to_string(each.at.line) + ":" + std::to_string(each.at.column) + " " + each.path + ": " +
               each.text + "\n";
    return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(both_formats_give_one_value_and_the_places_of_its_parts)
{
    weft::document json = json_document("{\"a\": 1,\n \"\u00e4\": [true, null]}");
    weft::document yaml = yaml_document("a: 1\n\u00e4:\n  - true\n  - null\n");
    BOOST_TEST_REQUIRE((json.value() && yaml.value()));
    BOOST_TEST((*json.value() == *yaml.value()));
    const weft::json_path whole;
    const weft::json_path list{whole, "\u00e4"};
    const weft::json_path second{list, 1};
    BOOST_TEST((json.position_of(second) == weft::text_position{2, 14}));
    BOOST_TEST((json.position_of_name(list) == weft::text_position{2, 2}));
    BOOST_TEST((yaml.position_of(second) == weft::text_position{4, 5}));
    BOOST_TEST((yaml.position_of_name(list) == weft::text_position{2, 1}));
    const weft::json_path third{list, 2};
    BOOST_TEST((json.position_of(third) == json.position_of(list)));
    BOOST_TEST((json.mistakes().count() == 0 && yaml.mistakes().count() == 0));
}

BOOST_AUTO_TEST_CASE(a_mistake_of_syntax_ends_the_reading)
{
    weft::document json = json_document("{\"a\": 1,\n \"b\" 2}");
    BOOST_TEST((!json.value()));
    BOOST_TEST(listed(json).starts_with("2:6 $: this is no JSON: "));
    weft::document yaml = yaml_document("a: 1\nb: [1\n");
    BOOST_TEST((!yaml.value()));
    BOOST_TEST(listed(yaml).find("$: this is no YAML: ") != std::string::npos);
    BOOST_TEST(listed(json_document("a: 1")).find("call a YAML file .yaml") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(members_that_are_there_twice_leave_a_value)
{
    weft::document json = json_document("{\"a\": 1, \"b\": {\"c\": 1,\n\"c\": 2}, \"a\": 3}");
    BOOST_TEST((json.value().has_value()));
    BOOST_TEST(listed(json) == "2:1 $.b.c: there is a member 'c' already: keep one\n"
                               "2:10 $.a: there is a member 'a' already: keep one\n");
    weft::document yaml = yaml_document("a: 1\na: 2\na: 3\n", 1);
    BOOST_TEST((yaml.value().has_value()));
    BOOST_TEST(yaml.mistakes().count() == 2u);
    BOOST_TEST(listed(yaml) == "2:1 $.a: there is a member 'a' already: keep one\n");
}

BOOST_AUTO_TEST_CASE(a_text_that_is_too_large_or_no_utf8_is_not_read)
{
    const std::string large(1001, ' ');
    BOOST_TEST(listed(json_document(large)).starts_with("1:1 $: the text has more than 1000 bytes"));
    BOOST_TEST(listed(yaml_document(large)).find("or write it as JSON") != std::string::npos);
    BOOST_TEST(listed(json_document("\xff\xfe{")) == "1:1 $: the text is UTF-16: save it as UTF-8\n");
    BOOST_TEST((json_document("\xef\xbb\xbf{}").value().has_value()));
}

BOOST_AUTO_TEST_SUITE_END()
