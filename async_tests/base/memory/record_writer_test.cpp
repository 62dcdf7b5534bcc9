#include <weft/base/memory/record_reader.hpp>
#include <weft/base/memory/record_writer.hpp>

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

BOOST_AUTO_TEST_SUITE(record_writer_test)

BOOST_AUTO_TEST_CASE(numbers_are_read_as_they_were_written)
{
    const std::uint64_t numbers[] = {0, 1, 127, 128, 16'383, 16'384, 0xffff'ffff, ~std::uint64_t{0}};
    const std::int64_t signed_numbers[] = {0, -1, 1, -64, 64, std::numeric_limits<std::int64_t>::min(),
                                           std::numeric_limits<std::int64_t>::max()};
    const double reals[] = {0.0, -0.0, 0.1, -1e308, std::numeric_limits<double>::denorm_min()};
    weft::record_writer to;
    for (const std::uint64_t n : numbers) to.number(n);
    for (const std::int64_t n : signed_numbers) to.signed_number(n);
    for (const double n : reals) to.real(n);
    weft::record_reader from{to.bytes(), "test"};
    for (const std::uint64_t n : numbers) BOOST_TEST(from.number() == n);
    for (const std::int64_t n : signed_numbers) BOOST_TEST(from.signed_number() == n);
    for (const double n : reals) BOOST_TEST(from.real() == n);
    BOOST_TEST(from.is_at_end());
}

BOOST_AUTO_TEST_CASE(small_numbers_take_one_byte_whatever_their_sign)
{
    weft::record_writer to;
    to.number(127);
    to.signed_number(-64);
    to.signed_number(63);
    BOOST_TEST(to.size() == 3u);
}

BOOST_AUTO_TEST_CASE(texts_and_sections_have_their_length)
{
    weft::record_writer to;
    to.text("plan");
    const auto outer = to.begin(3);
    const auto inner = to.begin(200, false);
    to.raw(std::string(300, 'x'));
    to.end(inner);
    to.end(outer);
    const auto empty = to.begin(1);
    to.end(empty);
    weft::record_reader from{to.bytes(), "test"};
    BOOST_TEST(from.text() == "plan");
    const auto first = from.next_section();
    BOOST_TEST((first && first->tag == 3 && first->is_needed));
    weft::record_reader inside{first->bytes, "test"};
    const auto nested = inside.next_section();
    BOOST_TEST((nested && nested->tag == 200 && !nested->is_needed));
    BOOST_TEST(nested->bytes == std::string(300, 'x'));
    BOOST_TEST(inside.is_at_end());
    const auto second = from.next_section();
    BOOST_TEST((second && second->tag == 1 && second->bytes.empty()));
    BOOST_TEST(!from.next_section());
}

BOOST_AUTO_TEST_CASE(a_writer_that_was_taken_copied_or_moved_from_begins_or_goes_on_by_itself)
{
    weft::record_writer to;
    to.reserve(1'000);
    to.text("plan");
    const weft::record_writer before{to};
    to.raw({});
    to.text(std::string(2'000, 'x'));
    BOOST_TEST(to.size() == 5u + 2'002u);
    weft::record_writer moved{std::move(to)};
    to.byte(7);
    BOOST_TEST(to.bytes() == "\x07");
    BOOST_TEST(moved.take().size() == 5u + 2'002u);
    BOOST_TEST(moved.size() == 0u);
    moved.byte(8);
    BOOST_TEST(moved.take() == "\x08");
    BOOST_TEST(before.bytes() == "\x04plan");
}

BOOST_AUTO_TEST_CASE(bytes_are_the_same_on_every_machine)
{
    weft::record_writer to;
    to.number(300);
    to.signed_number(-2);
    to.real(1.0);
    BOOST_TEST(to.bytes() == std::string_view("\xac\x02\x03\x00\x00\x00\x00\x00\x00\xf0\x3f", 11));
    BOOST_TEST(weft::checksum_of("weft") == weft::checksum_of(std::string{"we"} + "ft"));
    BOOST_TEST(weft::checksum_of("weft") != weft::checksum_of(std::string_view("weft\0", 5)));
}

BOOST_AUTO_TEST_SUITE_END()
