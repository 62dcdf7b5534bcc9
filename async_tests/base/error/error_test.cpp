#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <stdexcept>

using weft::errc;
using weft::code_of;
using weft::error;
using weft::text_of;

BOOST_AUTO_TEST_SUITE(error_test)

BOOST_AUTO_TEST_CASE(the_text_says_where_what_and_why)
{
    const error e{errc::unknown_node, "graph 'research'", "'wirte' is not a node"};
    BOOST_TEST((e.code() == errc::unknown_node));
    BOOST_TEST(e.where() == "graph 'research'");
    BOOST_TEST(e.detail() == "'wirte' is not a node");
    BOOST_TEST(e.what() == "graph 'research': " + std::string{describe(errc::unknown_node)} +
                               ": 'wirte' is not a node");
}

BOOST_AUTO_TEST_CASE(empty_parts_are_left_out_of_the_text)
{
    const std::string sentence{describe(errc::timeout)};
    BOOST_TEST(error{errc::timeout}.what() == sentence);
    BOOST_TEST((error{errc::timeout, "host"}.what() == "host: " + sentence));
    BOOST_TEST((error{errc::timeout, "", "after 3 s"}.what() == sentence + ": after 3 s"));
}

BOOST_AUTO_TEST_CASE(the_code_of_an_exception_depends_on_its_type)
{
    using boost::system::system_error;
    BOOST_TEST((code_of(std::make_exception_ptr(error{errc::gap_timeout})) == errc::gap_timeout));
    BOOST_TEST((code_of(std::make_exception_ptr(
                    system_error{boost::asio::error::operation_aborted})) == errc::cancelled));
    BOOST_TEST((code_of(std::make_exception_ptr(system_error{boost::asio::error::eof})) ==
                errc::node_failed));
    BOOST_TEST(
        (code_of(std::make_exception_ptr(std::runtime_error{"broken"})) == errc::node_failed));
    BOOST_TEST((code_of(std::make_exception_ptr(7)) == errc::node_failed));
    BOOST_TEST((code_of(nullptr) == errc::node_failed));
}

BOOST_AUTO_TEST_CASE(the_text_of_an_exception_is_its_what)
{
    const error e{errc::timeout, "host"};
    BOOST_TEST(text_of(std::make_exception_ptr(e)) == e.what());
    BOOST_TEST(text_of(std::make_exception_ptr(std::runtime_error{"broken"})) == "broken");
    BOOST_TEST(text_of(std::make_exception_ptr(7)) == "unknown exception");
    BOOST_TEST(text_of(nullptr) == "no exception");
}

BOOST_AUTO_TEST_CASE(a_foreign_exception_says_its_type_and_an_error_of_weft_does_not)
{
    BOOST_TEST(weft::typed_text_of(nullptr) == "no exception");
    BOOST_TEST(weft::typed_text_of(std::make_exception_ptr(std::out_of_range{"at"})) == "std::out_of_range: at");
    BOOST_TEST(weft::typed_text_of(std::make_exception_ptr(7)) == "an exception of type int");
    const weft::error known{weft::errc::node_failed, "m"};
    BOOST_TEST(weft::typed_text_of(std::make_exception_ptr(known)) == known.what());
}

BOOST_AUTO_TEST_SUITE_END()
