#include <boost/test/unit_test.hpp>

#include "client_frames.hpp"

#include "net/server/websocket_frame.hpp"

#include <weft/base/utf8.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(websocket_frame_test)

using namespace weft::net_detail;
using std::string_literals::operator""s;

BOOST_AUTO_TEST_CASE(a_frame_is_final_unmasked_and_says_its_length_in_the_shortest_way)
{
    const auto head_of = [](std::size_t size) {
        std::string out;
        append_websocket_frame(out, websocket_opcode::text, std::string(size, 'x'));
        BOOST_TEST(out.ends_with(std::string(size, 'x')));
        return out.substr(0, out.size() - size);
    };
    BOOST_TEST((head_of(0) == "\x81\x00"s));
    BOOST_TEST((head_of(125) == "\x81\x7d"s));
    BOOST_TEST((head_of(126) == "\x81\x7e\x00\x7e"s));
    BOOST_TEST((head_of(65'535) == "\x81\x7e\xff\xff"s));
    BOOST_TEST((head_of(65'536) == "\x81\x7f\0\0\0\0\0\x01\0\0"s));
}

BOOST_AUTO_TEST_CASE(a_close_carries_its_code_and_as_much_of_the_reason_as_fits)
{
    std::string out;
    append_websocket_close(out, 1001, "bye");
    BOOST_TEST((out == "\x88\x05\x03\xe9" "bye"s));
    out.clear();
    append_websocket_close(out, 1005, "not sent");
    BOOST_TEST((out == "\x88\x00"s));
    out.clear();
    std::string snowmen;
    for (int i = 0; i < 50; ++i) snowmen += "\xe2\x98\x83";
    append_websocket_close(out, 1002, snowmen);
    BOOST_TEST(out.size() <= 2u + 125u);
    BOOST_TEST(out.size() > 2u + 120u);
    BOOST_TEST(weft::is_valid_utf8(out.substr(4)));
}

BOOST_AUTO_TEST_SUITE_END()
