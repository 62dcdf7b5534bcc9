#include <weft/store/redis/redis_command.hpp>
#include <weft/store/redis/redis_script.hpp>

#include "store/redis/redis_reply_parser.hpp"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(redis_command_test)

using weft::redis_command;
using namespace std::string_literals;

BOOST_AUTO_TEST_CASE(a_command_is_an_array_of_its_words)
{
    redis_command command{"SET"};
    command.add("key").add("a\r\nb").add("PX").add(500);
    BOOST_TEST(command.text() == "*5\r\n$3\r\nSET\r\n$3\r\nkey\r\n$4\r\na\r\nb\r\n$2\r\nPX\r\n$3\r\n500\r\n");
    BOOST_TEST(command.name() == "SET");
    BOOST_TEST(!command.is_read());
    BOOST_TEST(command.reads_only().is_read());
}

BOOST_AUTO_TEST_CASE(any_bytes_are_an_argument)
{
    redis_command command{"ECHO"};
    command.add("").add("\0\r\n$1\r\n\xff"s);
    weft::redis_reply_parser parser;
    const std::string text = command.text();
    parser.feed(text);
    const auto read = parser.next();
    BOOST_REQUIRE(read);
    BOOST_REQUIRE(read->items.size() == 3u);
    BOOST_TEST(read->items[1].text == "");
    BOOST_TEST(read->items[2].text == "\0\r\n$1\r\n\xff"s);
}

BOOST_AUTO_TEST_CASE(a_script_is_named_by_its_hash)
{
    // As `redis-cli script load "return 1"` says it.
    BOOST_TEST(weft::redis_script{"return 1"}.name() == "e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
}

BOOST_AUTO_TEST_SUITE_END()
