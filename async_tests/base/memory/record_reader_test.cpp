#include <weft/base/error.hpp>
#include <weft/base/memory/record_reader.hpp>
#include <weft/base/memory/record_writer.hpp>

#include <boost/test/unit_test.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(record_reader_test)

namespace {

auto is_corrupt_at(std::string place)
{
    return [place = std::move(place)](const weft::error& e) {
        return e.code() == weft::errc::store_corrupt && e.where().find(place) != std::string::npos;
    };
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_ends_too_early_is_refused_with_its_place)
{
    weft::record_reader from{std::string_view("\x05weft", 5), "tokens"};
    BOOST_CHECK_EXCEPTION((void)from.text(), weft::error, is_corrupt_at("tokens, byte 1"));
    weft::record_reader number{"\xff", "tokens"};
    BOOST_CHECK_EXCEPTION((void)number.number(), weft::error, is_corrupt_at("byte 1"));
    weft::record_reader real{"1234567", "tokens"};
    BOOST_CHECK_EXCEPTION((void)real.real(), weft::error, is_corrupt_at("byte 0"));
}

BOOST_AUTO_TEST_CASE(a_number_of_more_than_64_bits_is_refused)
{
    const std::string most = std::string(9, '\xff') + '\x01';
    BOOST_TEST((weft::record_reader{most, "test"}.number() == ~std::uint64_t{0}));
    const std::string more = std::string(9, '\xff') + '\x02';
    weft::record_reader from{more, "test"};
    BOOST_CHECK_EXCEPTION((void)from.number(), weft::error, is_corrupt_at("test"));
    const std::string longer(12, '\x80');
    weft::record_reader endless{longer, "test"};
    BOOST_CHECK_EXCEPTION((void)endless.number(), weft::error, is_corrupt_at("test"));
}

BOOST_AUTO_TEST_CASE(a_count_is_no_larger_than_what_follows)
{
    weft::record_reader from{std::string_view("\x03\x00\x00\x00", 4), "test"};
    BOOST_TEST(from.count("items") == 3u);
    weft::record_reader huge{std::string_view("\x04\x00\x00\x00", 4), "test"};
    BOOST_CHECK_EXCEPTION((void)huge.count("items"), weft::error, is_corrupt_at("test"));
}

BOOST_AUTO_TEST_CASE(left_over_bytes_are_refused)
{
    weft::record_reader from{"ab", "test"};
    (void)from.byte();
    BOOST_CHECK_EXCEPTION(from.require_end(), weft::error, is_corrupt_at("byte 1"));
}

BOOST_AUTO_TEST_CASE(a_sealed_record_tells_every_change_of_a_byte_and_every_truncation)
{
    const std::string sealed = weft::seal_record("what a run has come to", 1);
    BOOST_TEST(weft::open_record(sealed, "test", 1) == "what a run has come to");
    for (std::size_t size = 0; size < sealed.size(); ++size)
        BOOST_CHECK_EXCEPTION((void)weft::open_record(std::string_view{sealed}.substr(0, size), "test", 1),
                              weft::error, is_corrupt_at("test"));
    for (std::size_t at = 0; at < sealed.size(); ++at)
        for (int bit = 0; bit < 8; ++bit) {
            std::string changed = sealed;
            changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
            BOOST_CHECK_EXCEPTION((void)weft::open_record(changed, "test", 255), weft::error, is_corrupt_at("test"));
        }
}

BOOST_AUTO_TEST_CASE(a_record_of_a_newer_version_is_refused_with_its_number)
{
    const std::string sealed = weft::seal_record("content", 3);
    BOOST_TEST(weft::open_record(sealed, "test", 3) == "content");
    BOOST_CHECK_EXCEPTION((void)weft::open_record(sealed, "test", 2), weft::error, [](const weft::error& e) {
        return e.code() == weft::errc::store_refused && e.detail().find("version 3") != std::string::npos;
    });
}

BOOST_AUTO_TEST_SUITE_END()
