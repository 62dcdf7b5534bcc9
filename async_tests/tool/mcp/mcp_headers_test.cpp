#include <boost/test/unit_test.hpp>

#include <weft/base/json.hpp>
#include <weft/tool/mcp/mcp_headers.hpp>

#include <boost/test/data/test_case.hpp>

#include <string>
#include <utility>
#include <vector>

BOOST_AUTO_TEST_SUITE(mcp_headers_test)

using weft::mcp_argument_headers;
using headers = std::vector<std::pair<std::string, std::string>>;

namespace {

struct encoding {
    std::string text;
    std::string value;
};
std::ostream& operator<<(std::ostream& out, const encoding& e) { return out << e.value; }

const std::vector<encoding> table{
    {"book", "book"},
    {"", ""},
    {"two words", "two words"},
    {"tab\tinside", "tab\tinside"},
    {"file:///a?b=c&d", "file:///a?b=c&d"},
    {" leading", "=?base64?IGxlYWRpbmc=?="},
    {"trailing ", "=?base64?dHJhaWxpbmcg?="},
    {"\t", "=?base64?CQ==?="},
    {"line\nbreak", "=?base64?bGluZQpicmVhaw==?="},
    {"ü", "=?base64?w7w=?="},
    {"日本", "=?base64?5pel5pys?="},
    {"\x7f", "=?base64?fw==?="},
    {"=?base64?w7w=?=", "=?base64?PT9iYXNlNjQ/dzd3PT89?="},  // looks like the sentinel
    {"=?base64?", "=?base64?"},                              // does not: there is no end
};

headers of(std::string_view schema, std::string_view arguments)
{
    std::string why;
    const auto found = mcp_argument_headers::read(weft::parse_json(schema), why);
    BOOST_REQUIRE_MESSAGE(found, why);
    return found->of(weft::parse_json(arguments).get_object());
}

}  // namespace

BOOST_DATA_TEST_CASE(a_text_goes_into_a_header_and_comes_back, boost::unit_test::data::make(table), row)
{
    BOOST_TEST(weft::mcp_header_value(row.text) == row.value);
    BOOST_TEST(weft::mcp_header_text(row.value).value() == row.text);
}

BOOST_AUTO_TEST_CASE(base64_that_is_none_has_no_text)
{
    for (const char* wrong : {"=?base64?a?=", "=?base64?ab=c?=", "=?base64?a b=?="})
        BOOST_TEST(!weft::mcp_header_text(wrong).has_value(), wrong);
}

BOOST_AUTO_TEST_CASE(a_request_is_named_in_headers)
{
    const auto of_method = [](const char* method, const char* params) {
        return weft::mcp_request_headers(method, weft::parse_json(params).get_object());
    };
    BOOST_TEST((of_method("tools/call", R"({"name":"book"})") ==
                headers{{"Mcp-Method", "tools/call"}, {"Mcp-Name", "book"}}));
    BOOST_TEST((of_method("prompts/get", R"({"name":"ü"})") ==
                headers{{"Mcp-Method", "prompts/get"}, {"Mcp-Name", "=?base64?w7w=?="}}));
    BOOST_TEST((of_method("resources/read", R"({"uri":"a://b"})") ==
                headers{{"Mcp-Method", "resources/read"}, {"Mcp-Name", "a://b"}}));
    BOOST_TEST((of_method("tools/list", R"({"name":"x"})") == headers{{"Mcp-Method", "tools/list"}}));
}

BOOST_AUTO_TEST_CASE(annotated_arguments_go_into_headers)
{
    const char* schema = R"({"type":"object","properties":{
        "region":{"type":"string","x-mcp-header":"Region"},
        "size":{"type":"integer","x-mcp-header":"Size"},
        "dry":{"type":"boolean","x-mcp-header":"Dry"},
        "to":{"type":"object","properties":{"city":{"type":"string","x-mcp-header":"City"}}},
        "other":{"type":"string"}}})";
    BOOST_TEST((of(schema, R"({"region":"eu","size":3,"dry":false,"to":{"city":"Köln"},"other":"x"})") ==
                headers{{"Mcp-Param-Region", "eu"}, {"Mcp-Param-Size", "3"}, {"Mcp-Param-Dry", "false"},
                        {"Mcp-Param-City", "=?base64?S8O2bG4=?="}}));
    BOOST_TEST((of(schema, R"({"region":null,"to":"nowhere"})") == headers{}));
    BOOST_TEST((of(schema, R"({"size":3.0})") == headers{{"Mcp-Param-Size", "3"}}));
}

BOOST_AUTO_TEST_CASE(a_wrong_annotation_refuses_the_tool)
{
    for (const char* schema : {
             R"({"x-mcp-header":"A"})",
             R"({"properties":{"a":{"type":"number","x-mcp-header":"A"}}})",
             R"({"properties":{"a":{"type":"object","x-mcp-header":"A"}}})",
             R"({"properties":{"a":{"type":"string","x-mcp-header":""}}})",
             R"({"properties":{"a":{"type":"string","x-mcp-header":"A B"}}})",
             R"({"properties":{"a":{"type":"string","x-mcp-header":"A\r\nB"}}})",
             R"({"properties":{"a":{"type":"string","x-mcp-header":5}}})",
             R"({"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}})",
             R"({"properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}})",
             R"({"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]})",
         }) {
        std::string why;
        BOOST_TEST(!mcp_argument_headers::read(weft::parse_json(schema), why).has_value(), schema);
        BOOST_TEST(why.find("x-mcp-header") != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(a_property_may_be_called_like_the_annotation)
{
    BOOST_TEST((of(R"({"properties":{"x-mcp-header":{"type":"string"}}})", R"({"x-mcp-header":"v"})") == headers{}));
}

BOOST_AUTO_TEST_SUITE_END()
