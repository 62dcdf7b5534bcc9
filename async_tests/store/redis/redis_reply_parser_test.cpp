#include "store/redis/redis_reply_parser.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <random>
#include <string>
#include <string_view>
#include <vector>

BOOST_AUTO_TEST_SUITE(redis_reply_parser_test)

using weft::redis_reply_limits;
using weft::redis_reply_parser;
using weft::redis_value;

namespace {

std::string shown(const redis_value& value)
{
    switch (value.what) {
    case redis_value::kind::null: return "null";
    case redis_value::kind::text: return "'" + value.text + "'";
    case redis_value::kind::error: return "!" + value.text;
    case redis_value::kind::integer: return std::to_string(value.integer);
    case redis_value::kind::boolean: return value.integer ? "true" : "false";
    case redis_value::kind::number: return std::isnan(value.number) ? "nan" : std::to_string(value.number);
    default: break;
    }
    std::string text{value.is(redis_value::kind::array)  ? "[" : value.is(redis_value::kind::set) ? "~["
                     : value.is(redis_value::kind::push) ? ">[" : "%["};
    for (const redis_value& item : value.items) text += shown(item) + " ";
    return text + "]";
}

/** What comes out of input that is given in pieces of such sizes. */
template <class NextSize>
std::string parsed(std::string_view input, NextSize next_size, redis_reply_limits limits = {})
{
    redis_reply_parser parser{limits};
    std::string log;
    while (!input.empty() && !parser.has_failed()) {
        const std::string piece{input.substr(0, next_size())};
        input.remove_prefix(piece.size());
        parser.feed(piece);
        while (const auto reply = parser.next()) log += shown(*reply) + ";";
    }
    if (parser.has_failed()) return log + "failed";
    return parser.is_inside_reply() ? log + "more" : log;
}

std::string parsed(std::string_view input, redis_reply_limits limits = {})
{
    return parsed(input, [&] { return input.size(); }, limits);
}

std::string mistake_in(std::string_view input, redis_reply_limits limits = {})
{
    redis_reply_parser parser{limits};
    parser.feed(input);
    while (parser.next()) {}
    return parser.mistake();
}

}  // namespace

BOOST_AUTO_TEST_CASE(replies_of_resp_2_are_read)
{
    BOOST_TEST(parsed("+OK\r\n") == "'OK';");
    BOOST_TEST(parsed("-ERR no\r\n") == "!ERR no;");
    BOOST_TEST(parsed(":-42\r\n:+7\r\n") == "-42;7;");
    BOOST_TEST(parsed("$5\r\na\r\nbc\r\n") == "'a\r\nbc';");
    BOOST_TEST(parsed("$0\r\n\r\n$-1\r\n*-1\r\n*0\r\n") == "'';null;null;[];");
    BOOST_TEST(parsed("*3\r\n:1\r\n*2\r\n$1\r\nx\r\n$-1\r\n+y\r\n") == "[1 ['x' null ] 'y' ];");
}

BOOST_AUTO_TEST_CASE(types_of_resp_3_are_read)
{
    BOOST_TEST(parsed("_\r\n#t\r\n#f\r\n") == "null;true;false;");
    BOOST_TEST(parsed(",1.5\r\n,inf\r\n,-inf\r\n,nan\r\n") == "1.500000;inf;-inf;nan;");
    BOOST_TEST(parsed("(3492890328409238509324850943850943825024385\r\n") ==
               "'3492890328409238509324850943850943825024385';");
    BOOST_TEST(parsed("=15\r\ntxt:Some string\r\n!5\r\nERR x\r\n") == "'Some string';!ERR x;");
    BOOST_TEST(parsed("%1\r\n+k\r\n:1\r\n~2\r\n:1\r\n:2\r\n>1\r\n+p\r\n") == "%['k' 1 ];~[1 2 ];>['p' ];");
}

BOOST_AUTO_TEST_CASE(attributes_are_dropped_wherever_they_stand)
{
    BOOST_TEST(parsed("|1\r\n+ttl\r\n:3600\r\n+v\r\n") == "'v';");
    BOOST_TEST(parsed("*2\r\n|1\r\n+a\r\n*1\r\n:1\r\n:1\r\n|0\r\n:2\r\n") == "[1 2 ];");
}

BOOST_AUTO_TEST_CASE(where_the_input_is_cut_makes_no_difference)
{
    const std::string input = "+OK\r\n*3\r\n$5\r\nhello\r\n|1\r\n+a\r\n+b\r\n:12\r\n*1\r\n$-1\r\n=6\r\ntxt:hi\r\n"
                              "%1\r\n+k\r\n$0\r\n\r\n-ERR x\r\n,2.5\r\n";
    const std::string whole = parsed(input);
    BOOST_TEST(whole == "'OK';['hello' 12 [null ] ];'hi';%['k' '' ];!ERR x;2.500000;");
    BOOST_TEST(parsed(input, [] { return std::size_t{1}; }) == whole);
    for (unsigned seed = 0; seed < 200; ++seed) {
        std::minstd_rand random{seed + 1};
        BOOST_TEST(parsed(input, [&] { return 1 + random() % 11; }) == whole);
    }
}

BOOST_AUTO_TEST_CASE(what_is_not_resp_ends_the_stream_and_says_why)
{
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"HTTP/1.1 400 Bad Request\r\n", "no known type"},
        {"\r\n", "empty line"},
        {"+OK\n", "without a carriage return"},
        {":12a\r\n", "cannot be read"},
        {":99999999999999999999\r\n", "cannot be read"},
        {":\r\n", "cannot be read"},
        {":+-1\r\n", "cannot be read"},
        {"$x\r\n", "length that is none"},
        {"$-2\r\n", "length that is none"},
        {"*?\r\n", "length that is none"},
        {"%-1\r\n", "length that is none"},
        {"$2\r\nabc\r\n", "longer than its length"},
        {"#x\r\n", "cannot be read"},
        {",1,5\r\n", "cannot be read"},
        {"(12a\r\n", "cannot be read"},
        {"_x\r\n", "cannot be read"},
        {"=3\r\ntxt\r\n", "without its format"},
    };
    for (const auto& [input, why] : cases)
        BOOST_TEST(mistake_in(input).find(why) != std::string::npos, input << " gave: " << mistake_in(input));
}

BOOST_AUTO_TEST_CASE(what_is_shown_of_foreign_bytes_is_short_and_has_no_controls)
{
    const std::string why = mistake_in("\x1b[31m" + std::string(1000, 'x') + "\r\n");
    BOOST_TEST(why.size() < 120u);
    BOOST_TEST(why.find('\x1b') == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_failed_parser_takes_nothing_more)
{
    redis_reply_parser parser;
    parser.feed("?\r\n+OK\r\n");
    BOOST_TEST(!parser.next());
    parser.feed("+OK\r\n");
    BOOST_TEST(!parser.next());
    BOOST_TEST(parser.has_failed());
}

BOOST_AUTO_TEST_CASE(depth_size_and_lines_are_bounded)
{
    redis_reply_limits limits;
    limits.depth_max = 3;
    BOOST_TEST(parsed("*1\r\n*1\r\n*1\r\n:1\r\n", limits) == "[[[1 ] ] ];");
    BOOST_TEST(mistake_in("*1\r\n*1\r\n*1\r\n*1\r\n", limits).find("deeper than 3") != std::string::npos);

    redis_reply_limits small;
    small.reply_bytes_max = 1000;
    small.line_bytes_max = 100;
    BOOST_TEST(parsed("$500\r\n" + std::string(500, 'x') + "\r\n", small).size() == 503u);
    BOOST_TEST(mistake_in("$1000\r\n", small).find("longer than 1000") != std::string::npos);
    BOOST_TEST(mistake_in("*100\r\n", small).find("longer than 1000") != std::string::npos);
    BOOST_TEST(mistake_in("*9223372036854775807\r\n", small).find("longer than 1000") != std::string::npos);
    BOOST_TEST(mistake_in("%9223372036854775807\r\n", small).find("longer than 1000") != std::string::npos);
    BOOST_TEST(mistake_in("+" + std::string(200, 'x'), small).find("longer than 100 bytes") != std::string::npos);
    BOOST_TEST(mistake_in("+" + std::string(200, 'x') + "\r\n", small).find("than 100 bytes") != std::string::npos);
    // All items together count, not each by itself; and each reply counts anew.
    std::string many = "*9\r\n";
    for (int i = 0; i < 9; ++i) many += "$90\r\n" + std::string(90, 'x') + "\r\n";
    BOOST_TEST(mistake_in(many, small).find("longer than 1000") != std::string::npos);
    std::string lasting;
    for (int i = 0; i < 50; ++i) lasting += "$90\r\n" + std::string(90, 'x') + "\r\n";
    BOOST_TEST(mistake_in(lasting, small) == "");
    // Attributes without end are a reply without end.
    std::string attributes;
    for (int i = 0; i < 50; ++i) attributes += "|1\r\n+a\r\n+b\r\n";
    BOOST_TEST(mistake_in(attributes, small).find("longer than 1000") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_length_alone_takes_no_memory)
{
    redis_reply_parser parser;
    parser.feed("$60000000\r\nabc");
    BOOST_TEST(!parser.next());
    BOOST_TEST(!parser.has_failed());
    BOOST_TEST(parser.is_inside_reply());
}

BOOST_AUTO_TEST_SUITE_END()
