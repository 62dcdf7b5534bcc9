#include <boost/test/unit_test.hpp>

#include <weft/net/secret_string.hpp>

#include <concepts>
#include <ostream>

BOOST_AUTO_TEST_SUITE(secret_string_test)

using weft::secret_string;

template <class T>
concept printable = requires(std::ostream& out, const T& value) { out << value; };

static_assert(printable<std::string>);
static_assert(!printable<secret_string>, "a secret must not reach a stream");
static_assert(!std::convertible_to<secret_string, std::string_view>);

BOOST_AUTO_TEST_CASE(a_secret_is_revealed_only_on_request)
{
    const secret_string key{"sk-TEST-0123456789abcdef"};
    BOOST_TEST(key.reveal() == "sk-TEST-0123456789abcdef");
    BOOST_TEST(!key.empty());
    BOOST_TEST(secret_string{}.empty());
    BOOST_TEST(secret_string{}.reveal().empty());
}

BOOST_AUTO_TEST_CASE(at_most_four_characters_are_shown_and_none_of_a_short_secret)
{
    BOOST_TEST(secret_string{"sk-TEST-0123456789abcdef"}.redacted() == "***cdef");
    BOOST_TEST(secret_string{"0123456789abcdef"}.redacted() == "***cdef");
    BOOST_TEST(secret_string{"0123456789abcde"}.redacted() == "***");
    BOOST_TEST(secret_string{}.redacted() == "***");
}

BOOST_AUTO_TEST_CASE(copies_and_moves_keep_the_value)
{
    secret_string first{"one-secret"};
    secret_string second = first;
    BOOST_TEST(second.reveal() == "one-secret");
    secret_string third = std::move(first);
    BOOST_TEST(third.reveal() == "one-secret");
    BOOST_TEST(first.empty());
    second = secret_string{"other"};
    BOOST_TEST(second.reveal() == "other");
    second = std::move(third);
    BOOST_TEST(second.reveal() == "one-secret");
}

BOOST_AUTO_TEST_CASE(a_wiped_secret_is_overwritten_in_memory)
{
    secret_string key{"sk-TEST-0123456789abcdef"};
    const std::string_view where_it_was = key.reveal();
    key.wipe();
    BOOST_TEST(key.empty());
    for (const char c : where_it_was) BOOST_TEST(c == '\0');
}

BOOST_AUTO_TEST_CASE(the_whole_secret_and_long_pieces_of_it_are_scrubbed)
{
    const secret_string key{"sk-TEST-0123456789abcdef"};
    BOOST_TEST(key.scrub("wrong key sk-TEST-0123456789abcdef.") == "wrong key ***.");
    BOOST_TEST(key.scrub("wrong key sk-TEST-0123****cdef.") == "wrong key *******cdef.");
    BOOST_TEST(key.scrub("89abcdef and 9abcdef") == "*** and 9abcdef");
    BOOST_TEST(key.scrub("sk-TEST-0123456789abcdefsk-TEST-0123456789abcdef") == "******");
    BOOST_TEST(key.scrub("nothing here") == "nothing here");
    BOOST_TEST(key.scrub("") == "");
}

BOOST_AUTO_TEST_CASE(the_longest_piece_is_scrubbed_when_the_secret_repeats_itself)
{
    const secret_string key{"abcdefgh-abcdefghXYZ"};
    BOOST_TEST(key.scrub("<abcdefghXYZ>") == "<***>");
}

BOOST_AUTO_TEST_CASE(a_short_secret_is_scrubbed_as_a_whole)
{
    const secret_string key{"abc"};
    BOOST_TEST(key.scrub("abc ab abcabc") == "*** ab ******");
    BOOST_TEST(secret_string{}.scrub("abc") == "abc");
}

BOOST_AUTO_TEST_CASE(a_mask_is_as_long_as_what_it_hides)
{
    const secret_string key{"sk-TEST-0123456789abcdef"};
    BOOST_TEST(key.masked("<sk-TEST-0123456789abcdef> 89abcdef 9abcdef") ==
               "<************************> ******** 9abcdef");
    BOOST_TEST(secret_string{}.masked("abc") == "abc");
}

BOOST_AUTO_TEST_SUITE_END()
