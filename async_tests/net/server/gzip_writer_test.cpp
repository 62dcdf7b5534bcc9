#include <boost/test/unit_test.hpp>

#include "gunzip.hpp"

#include <weft/net/server/gzip_writer.hpp>

#include <boost/test/data/test_case.hpp>

#include <random>
#include <string>

BOOST_AUTO_TEST_SUITE(gzip_writer_test)

namespace data = boost::unit_test::data;
using weft::net_detail::gzip_writer;

/** Bytes that no compression makes smaller, or words that repeat. */
std::string text_of(std::size_t size, bool is_random)
{
    std::mt19937 random{7};
    std::string text;
    while (text.size() < size) {
        if (is_random)
            text.push_back(static_cast<char>(random()));
        else
            text.append("{\"role\":\"ai\",\"n\":").append(std::to_string(random() % 1000)).append("},");
    }
    text.resize(size);
    return text;
}

std::string gzip(std::string_view text, int level)
{
    std::string out;
    gzip_writer writer{level, text.size()};
    writer.write(text, out);
    writer.finish(out);
    return out;
}

BOOST_DATA_TEST_CASE(what_is_written_can_be_read, data::make({0, 1, 300, 1024, 16'384, 65'536, 1'000'000}), size)
{
    for (const bool is_random : {false, true}) {
        const std::string text = text_of(static_cast<std::size_t>(size), is_random);
        for (const int level : {1, 6}) {
            const std::string out = gzip(text, level);
            BOOST_TEST((gunzip(out) == text));
            BOOST_TEST(out.size() <= text.size() + text.size() / 1000 + 64);
            if (!is_random && size >= 1024) BOOST_TEST(out.size() < text.size() / 2);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_higher_level_makes_it_smaller)
{
    const std::string text = text_of(100'000, false);
    BOOST_TEST(gzip(text, 6).size() < gzip(text, 1).size());
}

BOOST_AUTO_TEST_CASE(a_text_may_be_longer_than_expected_and_come_in_pieces)
{
    const std::string text = text_of(50'000, false);
    std::string out;
    gzip_writer writer{1, 1};
    for (std::size_t at = 0; at < text.size(); at += 777) writer.write(std::string_view{text}.substr(at, 777), out);
    writer.finish(out);
    BOOST_TEST((gunzip(out) == text));
}

BOOST_AUTO_TEST_CASE(what_was_flushed_can_be_read_before_the_end)
{
    std::string out;
    gzip_writer writer{1};
    writer.write("first", out);
    BOOST_TEST(gunzip(out, false) == "");
    writer.flush(out);
    BOOST_TEST(gunzip(out, false) == "first");
    writer.flush(out);
    writer.write(" second", out);
    writer.flush(out);
    BOOST_TEST(gunzip(out, false) == "first second");
    BOOST_CHECK_THROW(gunzip(out), std::runtime_error);
    writer.finish(out);
    BOOST_TEST(gunzip(out) == "first second");
}

BOOST_AUTO_TEST_SUITE_END()
