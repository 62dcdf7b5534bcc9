#include <boost/test/unit_test.hpp>

#include "client_frames.hpp"

#include "net/server/websocket_parser.hpp"

#include <boost/test/data/test_case.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

BOOST_AUTO_TEST_SUITE(websocket_parser_test)

using namespace client_frames;
using weft::net_detail::websocket_event;
using weft::net_detail::websocket_parser;
using kind = websocket_event::kind;
using std::string_literals::operator""s;

constexpr std::size_t small = 300;  // bytes of a message

std::string told(const websocket_event& event)
{
    switch (event.what) {
    case kind::text: return "text " + event.bytes + "\n";
    case kind::ping: return "ping " + event.bytes + "\n";
    case kind::pong: return "pong " + event.bytes + "\n";
    case kind::close: return "close " + std::to_string(event.code) + " " + event.bytes + "\n";
    case kind::failure: return "failure " + std::to_string(event.code) + " " + event.bytes + "\n";
    default: return {};
    }
}

/** All events of an input that comes in pieces of such sizes. */
template <class NextSize>
std::string events_of(std::string_view input, NextSize next_size, std::size_t bytes_max = small)
{
    websocket_parser parser{bytes_max};
    std::string log;
    std::string buffer;
    while (!input.empty() && !parser.is_over()) {
        const std::size_t size = std::min<std::size_t>(next_size(), input.size());
        buffer.append(input.substr(0, size));
        input.remove_prefix(size);
        for (bool goes_on = true; goes_on && !parser.is_over();) {
            const websocket_parser::result step = parser.parse(buffer.data(), buffer.size());
            buffer.erase(0, step.consumed);
            log += told(step.event);
            goes_on = step.event.what != kind::nothing;
        }
    }
    return log;
}

std::string events_at_once(std::string_view input)
{
    return events_of(input, [&] { return input.size(); });
}

/** The events, which must be the same however the input is cut. */
std::string events_of_every_cut(std::string_view input)
{
    std::string whole = events_at_once(input);
    BOOST_TEST((events_of(input, [] { return std::size_t{1}; }) == whole));
    for (std::size_t first = 1; first < input.size(); ++first) {
        bool is_first = true;
        BOOST_TEST_REQUIRE(
            (events_of(input, [&] { return std::exchange(is_first, false) ? first : input.size(); }) == whole),
            "cut after " << first);
    }
    return whole;
}

BOOST_AUTO_TEST_CASE(messages_pings_and_a_close_come_out_whatever_the_cut)
{
    const std::string input = text_frame("hello") + ping_frame("are you there") + text_frame("") + pong_frame() +
                              text_frame(std::string(200, 'x')) + close_frame(1001, "bye");
    BOOST_TEST(events_of_every_cut(input) == "text hello\nping are you there\ntext \npong \ntext " +
                                                 std::string(200, 'x') + "\nclose 1001 bye\n");
}

BOOST_AUTO_TEST_CASE(frames_of_a_message_are_joined_with_a_ping_between_them)
{
    // The snowman is cut within its bytes: the text counts as a whole.
    const std::string input = masked(1, "a\xe2", {.is_final = false}) + ping_frame("p") +
                              masked(0, "\x98", {.is_final = false}) + masked(0, "", {.is_final = false}) +
                              masked(0, "\x83" "b");
    BOOST_TEST(events_of_every_cut(input) == "ping p\ntext a\xe2\x98\x83" "b\n");
}

BOOST_AUTO_TEST_CASE(messages_of_every_form_of_length_arrive)
{
    for (const std::size_t size : {0u, 1u, 7u, 8u, 9u, 125u, 126u, 127u, 65'535u, 65'536u, 200'001u}) {
        std::string payload(size, ' ');
        for (std::size_t i = 0; i < size; ++i) payload[i] = static_cast<char>('a' + i % 23);
        const std::string input = text_frame(payload) + text_frame("next");
        std::minstd_rand random{static_cast<unsigned>(size) + 1};
        const auto next_size = [&] { return 1 + random() % 5000; };
        BOOST_TEST((events_of(input, next_size, 1 << 20) == "text " + payload + "\ntext next\n"), size);
    }
}

struct wrong_row {
    std::string_view what;
    std::string input;
    std::string expected;
    friend std::ostream& operator<<(std::ostream& out, const wrong_row& row) { return out << row.what; }
};

const std::string open_message = masked(1, "a", {.is_final = false});
const std::string in_one_frame = "failure 1002 a close, ping or pong must be one frame of at most 125 bytes\n";
const std::string shortest = "failure 1002 the length of a frame is not written in the shortest way\n";
const std::string reserved = "failure 1002 a reserved bit is set, and no extension was agreed on\n";
const std::string unknown = "failure 1002 there is no frame of this opcode\n";
const std::string bad_close = "failure 1002 the code of a close has no meaning\n";
const std::string mask_key(4, '\0');

BOOST_DATA_TEST_CASE(
    what_the_protocol_does_not_allow_ends_it,
    boost::unit_test::data::make({
        wrong_row{"no mask", masked(1, "a", {.is_masked = false}), "failure 1002 frames of clients must be masked\n"},
        wrong_row{"compressed", masked(1, "a", {.reserved = 0x40}), reserved},
        wrong_row{"second reserved bit", masked(1, "a", {.reserved = 0x20}), reserved},
        wrong_row{"third reserved bit", masked(9, "a", {.reserved = 0x10}), reserved},
        wrong_row{"opcode 3", masked(3, ""), unknown},
        wrong_row{"opcode 7", masked(7, ""), unknown},
        wrong_row{"opcode 11", masked(11, ""), unknown},
        wrong_row{"opcode 15", masked(15, ""), unknown},
        wrong_row{"binary", masked(2, "a"), "failure 1003 messages must be text\n"},
        wrong_row{"a long ping", ping_frame(std::string(126, 'x')), in_one_frame},
        wrong_row{"a ping in two frames", masked(9, "a", {.is_final = false}), in_one_frame},
        wrong_row{"a close in two frames", masked(8, "", {.is_final = false}), in_one_frame},
        wrong_row{"nothing to continue", masked(0, "a"),
                  "failure 1002 a frame continues a message, and none has begun\n"},
        wrong_row{"a message within a message", open_message + text_frame("b"),
                  "failure 1002 a message begins before the one before it has ended\n"},
        wrong_row{"a binary message within a message", open_message + masked(2, "b"),
                  "failure 1002 a message begins before the one before it has ended\n"},
        wrong_row{"a short length in 2 bytes", "\x81\xfe\x00\x7d"s + mask_key + std::string(125, 'x'), shortest},
        wrong_row{"a short length in 8 bytes", "\x81\xff\0\0\0\0\0\0\xff\xff"s + mask_key, shortest},
        wrong_row{"a negative length", "\x81\xff\x80\0\0\0\0\x01\0\0"s + mask_key, shortest},
        wrong_row{"the largest length", "\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff"s + mask_key,
                  "failure 1009 a message is larger than 300 bytes\n"},
        wrong_row{"a byte too many", text_frame(std::string(301, 'x')),
                  "failure 1009 a message is larger than 300 bytes\n"},
        wrong_row{"too many in frames", masked(1, std::string(200, 'x'), {.is_final = false}) +
                                            masked(0, std::string(101, 'x'), {.is_final = false}),
                  "failure 1009 a message is larger than 300 bytes\n"},
        wrong_row{"no UTF-8", text_frame("a\xff"), "failure 1007 a message is not UTF-8\n"},
        wrong_row{"half a character", text_frame("a\xe2\x98"), "failure 1007 a message is not UTF-8\n"},
        wrong_row{"a surrogate", masked(1, "\xed\xa0", {.is_final = false}) + masked(0, "\x80"),
                  "failure 1007 a message is not UTF-8\n"},
        wrong_row{"half a code", masked(8, "\x03"), bad_close},
        wrong_row{"code 999", close_frame(999), bad_close},
        wrong_row{"code 1004", close_frame(1004), bad_close},
        wrong_row{"code 1005", close_frame(1005), bad_close},
        wrong_row{"code 1006", close_frame(1006), bad_close},
        wrong_row{"code 1015", close_frame(1015), bad_close},
        wrong_row{"code 2999", close_frame(2999), bad_close},
        wrong_row{"code 5000", close_frame(5000), bad_close},
        wrong_row{"a reason that is no UTF-8", close_frame(1000, "\xff"),
                  "failure 1007 the reason of a close is not UTF-8\n"},
    }),
    row)
{
    // What comes behind the mistake is not read.
    BOOST_TEST(events_of_every_cut(row.input + text_frame("hidden")) == row.expected);
    BOOST_TEST(events_of_every_cut(text_frame("good") + row.input) == "text good\n" + row.expected);
}

BOOST_AUTO_TEST_CASE(closes_with_and_without_a_code_are_told)
{
    BOOST_TEST(events_of_every_cut(masked(8, "")) == "close 1005 \n");
    for (const unsigned code : {1000u, 1003u, 1007u, 1014u, 3000u, 4999u})
        BOOST_TEST(events_of_every_cut(close_frame(code, "why")) == "close " + std::to_string(code) + " why\n");
    BOOST_TEST(events_of_every_cut(close_frame(1000) + text_frame("late")) == "close 1000 \n");
}

BOOST_AUTO_TEST_CASE(a_message_of_the_largest_size_is_taken_in_frames_and_the_next_has_the_room_again)
{
    const std::string half = masked(1, std::string(150, 'x'), {.is_final = false}) + masked(0, std::string(150, 'y'));
    const std::string expected = "text " + std::string(150, 'x') + std::string(150, 'y') + "\n";
    BOOST_TEST(events_at_once(half + half) == expected + expected);
}

BOOST_AUTO_TEST_CASE(what_a_frame_lacks_is_known)
{
    websocket_parser parser{small};
    BOOST_TEST(parser.missing() == 0u);
    std::string half = text_frame(std::string(100, 'x')).substr(0, 46);
    BOOST_TEST(parser.parse(half.data(), half.size()).consumed == 46u);
    BOOST_TEST(parser.missing() == 60u);
}

BOOST_AUTO_TEST_SUITE_END()
