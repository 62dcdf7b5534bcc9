#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/net/text/http_headers.hpp>

#include <boost/test/data/test_case.hpp>

BOOST_AUTO_TEST_SUITE(http_headers_test)

using weft::http_headers;

BOOST_AUTO_TEST_CASE(fields_keep_their_order_and_are_found_whatever_their_case)
{
    http_headers headers;
    BOOST_TEST(headers.empty());
    headers.add("Content-Type", "application/json");
    headers.add("X-Empty", "");
    headers.add("set-cookie", "a=b");
    headers.add("Set-Cookie", "c=d");
    BOOST_TEST(headers.size() == 4u);
    BOOST_TEST(headers.find("content-type").value() == "application/json");
    BOOST_TEST(headers.find("X-EMPTY").value() == "");
    BOOST_TEST(headers.find("Set-Cookie").value() == "a=b");
    BOOST_TEST(!headers.find("content").has_value());
    BOOST_TEST(headers[3].name == "Set-Cookie");
    BOOST_TEST(headers[3].value == "c=d");
}

BOOST_AUTO_TEST_CASE(set_replaces_every_field_of_the_name)
{
    http_headers headers;
    headers.add("a", "1");
    headers.add("b", "2");
    headers.add("A", "3");
    headers.set("a", "4");
    BOOST_TEST(headers.size() == 2u);
    BOOST_TEST(headers.find("A").value() == "4");
    BOOST_TEST(headers.find("b").value() == "2");
}

BOOST_AUTO_TEST_CASE(add_and_set_accept_views_into_the_headers_themselves)
{
    http_headers headers;
    headers.add("a", "a longer value than fits into a small string buffer");
    headers.add("b", headers[0].value);
    BOOST_TEST(headers.find("b").value() == "a longer value than fits into a small string buffer");
    headers.set(headers[0].name, headers[0].value);
    BOOST_TEST(headers.find("a").value() == "a longer value than fits into a small string buffer");
}

BOOST_AUTO_TEST_CASE(erase_takes_all_fields_of_the_name_out)
{
    http_headers headers;
    headers.add("a", "1");
    headers.add("b", "2");
    headers.add("A", "3");
    BOOST_TEST(headers.erase("a") == 2u);
    BOOST_TEST(headers.erase("a") == 0u);
    BOOST_TEST(headers.size() == 1u);
    BOOST_TEST(!headers.contains("a"));
}

struct injected_vector {
    std::string name, value;
    friend std::ostream& operator<<(std::ostream& out, const injected_vector& v) { return out << v.name; }
};

const injected_vector injected[] = {
    {"x", "a\r\nevil: 1"}, {"x", "a\nb"},   {"x", "a\rb"},      {"x", std::string{"a\0b", 3}}, {"x", "a\x1b[0m"},
    {"x", "a\x7f"},        {"x", " a"},     {"x", "a "},        {"x", "\ta"},                  {"", "a"},
    {"x y", "a"},          {"x:", "a"},     {"x\r\ny", "a"},    {"\xc3\xa4", "a"},             {"x(y)", "a"},
};

BOOST_DATA_TEST_CASE(what_could_start_another_header_is_refused, boost::unit_test::data::make(injected))
{
    http_headers headers;
    const auto is_configuration = [](const weft::error& e) { return e.code() == weft::errc::invalid_configuration; };
    BOOST_CHECK_EXCEPTION(headers.add(sample.name, sample.value), weft::error, is_configuration);
    BOOST_CHECK_EXCEPTION(headers.set(sample.name, sample.value), weft::error, is_configuration);
    BOOST_TEST(headers.empty());
}

BOOST_AUTO_TEST_CASE(a_refused_value_is_not_repeated)
{
    http_headers headers;
    BOOST_CHECK_EXCEPTION(headers.add("authorization", "Bearer sk-secret\n"), weft::error, [](const weft::error& e) {
        const std::string_view text = e.what();
        return text.find("sk-secret") == std::string_view::npos && text.find("authorization") != std::string_view::npos;
    });
}

BOOST_AUTO_TEST_CASE(tabs_inside_and_bytes_above_ascii_are_allowed_in_values)
{
    http_headers headers;
    headers.add("x", "a\tb \xc3\xa4");
    BOOST_TEST(headers.find("x").value() == "a\tb \xc3\xa4");
}

BOOST_AUTO_TEST_SUITE_END()
