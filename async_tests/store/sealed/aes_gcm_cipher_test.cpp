#include "store/sealed_parts.hpp"

#include "store/sealed/armour.hpp"
#include "store/sealed/xaes_256_gcm.hpp"

#include <weft/base/error.hpp>

#include <boost/test/unit_test.hpp>

#include <set>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(aes_gcm_cipher_test)

using weft::content_hash;
using weft::errc;
using weft::error;
using weft::sealed_place;
using weft::value_cipher;
using weft_tests::cipher_of;
using weft_tests::secret_of;

namespace {

std::string hex(std::string_view bytes)
{
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (const char c : bytes) {
        text += digits[static_cast<unsigned char>(c) >> 4];
        text += digits[static_cast<unsigned char>(c) & 15];
    }
    return text;
}

/** What XAES-256-GCM makes of a text, its tag behind it. */
std::string xaes(unsigned char key_byte, std::string_view text, std::string_view bound_to)
{
    weft::sealed_detail::aes_256 aes;
    weft::sealed_detail::secret_key key;
    key.bytes.fill(key_byte);
    const weft::sealed_detail::xaes_256_gcm cipher{aes, key};
    const std::string nonce = "ABCDEFGHIJKLMNOPQRSTUVWX";
    std::string sealed(text.size() + 16, '\0');
    cipher.seal(reinterpret_cast<const unsigned char*>(nonce.data()), bound_to, text, sealed.data(),
                reinterpret_cast<unsigned char*>(sealed.data() + text.size()));
    return hex(sealed);
}

sealed_place place() { return sealed_place{"effect"}.part("acme").part("t-1").part("plan#1/charge#0"); }

/** Why a text does not open; empty if it does. */
std::string refusal_of(const value_cipher& cipher, std::string_view sealed, const sealed_place& where)
{
    try {
        (void)cipher.open(sealed, where);
        return "";
    } catch (const error& e) {
        BOOST_TEST((e.code() == errc::store_corrupt));
        return e.what();
    }
}

std::vector<content_hash> some_hashes()
{
    std::vector<content_hash> hashes(5);
    for (std::size_t i = 0; i < hashes.size(); ++i) hashes[i].bytes.fill(static_cast<std::uint8_t>(i));
    hashes.push_back(hashes[1]);
    return hashes;
}

}  // namespace

BOOST_AUTO_TEST_CASE(xaes_gives_what_its_specification_gives)
{
    BOOST_TEST(xaes(0x01, "XAES-256-GCM", "") == "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271");
    BOOST_TEST(xaes(0x03, "XAES-256-GCM", "c2sp.org/XAES-256-GCM") ==
               "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d");
}

BOOST_AUTO_TEST_CASE(a_sealed_text_opens_at_its_place)
{
    const auto cipher = cipher_of('k');
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
    for (const std::string& text : {std::string{}, std::string{"x"}, bytes, std::string(1'000'000, 'x')}) {
        const std::string sealed = cipher->seal(text, place());
        BOOST_TEST((cipher->open(sealed, place()) == text));
        BOOST_TEST(sealed.size() == text.size() + 42 + 1);
        const std::string as_json = weft::sealed_detail::seal_as_json(*cipher, text, place());
        BOOST_TEST((weft::sealed_detail::open_json(*cipher, as_json, place()) == text));
    }
}

BOOST_AUTO_TEST_CASE(the_same_text_is_never_sealed_to_the_same)
{
    const auto cipher = cipher_of('k');
    std::set<std::string> seen;
    for (int i = 0; i < 1000; ++i) seen.insert(cipher->seal("the same text", place()));
    BOOST_TEST(seen.size() == 1000u);
    for (const std::string& sealed : seen) BOOST_TEST(sealed.find("same") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(every_changed_bit_is_noticed)
{
    const auto cipher = cipher_of('k');
    const std::string sealed = cipher->seal("transfer 100 to Ann", place());
    for (std::size_t at = 0; at < sealed.size(); ++at)
        for (int bit = 0; bit < 8; ++bit) {
            std::string changed = sealed;
            changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
            BOOST_TEST(refusal_of(*cipher, changed, place()) != "", "byte " << at << ", bit " << bit);
        }
    for (std::size_t size = 0; size < sealed.size(); ++size)
        BOOST_TEST(refusal_of(*cipher, sealed.substr(0, size), place()) != "", "cut to " << size);
    BOOST_TEST(refusal_of(*cipher, sealed + '\0', place()) != "");
}

BOOST_AUTO_TEST_CASE(every_changed_character_of_armour_is_noticed)
{
    const auto cipher = cipher_of('k');
    for (const std::string& text : {std::string{"ab"}, std::string{"abc"}, std::string{"abcd"}}) {
        const std::string sealed = weft::sealed_detail::seal_as_json(*cipher, text, place());
        for (std::size_t at = 0; at < sealed.size(); ++at)
            for (int bit = 0; bit < 8; ++bit) {
                std::string changed = sealed;
                changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
                BOOST_CHECK_THROW((void)weft::sealed_detail::open_json(*cipher, changed, place()), error);
            }
        for (std::size_t size = 0; size < sealed.size(); ++size)
            BOOST_CHECK_THROW((void)weft::sealed_detail::open_json(*cipher, sealed.substr(0, size), place()), error);
    }
}

BOOST_AUTO_TEST_CASE(a_text_does_not_open_elsewhere_and_the_message_says_where)
{
    const auto cipher = cipher_of('k');
    const std::string sealed = cipher->seal("text", place());
    const sealed_place others[] = {
        sealed_place{"effect"}.part("acme").part("t-1").part("plan#1/charge#1"),
        sealed_place{"effect"}.part("acme").part("t-2").part("plan#1/charge#0"),
        sealed_place{"effect"}.part("other").part("t-1").part("plan#1/charge#0"),
        sealed_place{"question"}.part("acme").part("t-1").part("plan#1/charge#0"),
        sealed_place{"effect"}.part("acmet-1").part("").part("plan#1/charge#0"),
        sealed_place{"effect"}.part("acme").part("t-1").part("plan#1/charge#0").part(""),
    };
    for (const sealed_place& other : others) BOOST_TEST(refusal_of(*cipher, sealed, other) != "");
    BOOST_TEST(refusal_of(*cipher, sealed, others[0]).find("effect acme/t-1/plan#1/charge#1") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(another_key_opens_nothing_and_an_unknown_one_is_told_apart)
{
    const std::string sealed = cipher_of('k')->seal("text", place());
    BOOST_TEST(refusal_of(*cipher_of('x'), sealed, place()).find("key '1' is not the one") != std::string::npos);
    const auto renamed = weft::make_aes_gcm_cipher(weft::sealing_keys{secret_of('k'), "2026"});
    BOOST_TEST(refusal_of(*renamed, sealed, place()).find("not among those given") != std::string::npos);
    BOOST_TEST(refusal_of(*renamed, R"({"plain": 1})", place()).find("not sealed") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(after_a_rotation_old_texts_open_and_new_ones_need_the_new_key)
{
    const auto before = cipher_of('a');
    weft::sealing_keys keys{secret_of('a')};
    keys.rotate_to("2", secret_of('b')).rotate_to("3", secret_of('c'));
    const auto after = weft::make_aes_gcm_cipher(keys);
    const std::string old_text = before->seal("old", place());
    BOOST_TEST(after->open(old_text, place()) == "old");
    const std::string new_text = after->seal("new", place());
    BOOST_TEST(after->open(new_text, place()) == "new");
    BOOST_TEST(refusal_of(*before, new_text, place()) != "");
    // Names stay what they were.
    std::vector<content_hash> one = some_hashes();
    std::vector<content_hash> other = some_hashes();
    before->hide(one, "scope");
    after->hide(other, "scope");
    BOOST_TEST((one == other));
    BOOST_TEST((before->name("t-1") == after->name("t-1")));
}

BOOST_AUTO_TEST_CASE(hidden_hashes_come_back_and_have_nothing_in_common_across_scopes)
{
    const auto cipher = cipher_of('k');
    const std::vector<content_hash> plain = some_hashes();
    std::vector<content_hash> hidden = plain;
    cipher->hide(hidden, "thread 1");
    for (std::size_t i = 0; i < plain.size(); ++i) BOOST_TEST((hidden[i] != plain[i]));
    BOOST_TEST((hidden[1] == hidden[5]));
    std::vector<content_hash> elsewhere = plain;
    cipher->hide(elsewhere, "thread 2");
    std::vector<content_hash> foreign = plain;
    cipher_of('x')->hide(foreign, "thread 1");
    for (std::size_t i = 0; i < plain.size(); ++i) {
        BOOST_TEST((elsewhere[i] != hidden[i]));
        BOOST_TEST((foreign[i] != hidden[i]));
    }
    cipher->reveal(hidden, "thread 1");
    BOOST_TEST((hidden == plain));
    std::vector<content_hash> none;
    cipher->hide(none, "thread 1");
    BOOST_TEST((cipher->name("a") != cipher->name("b")));
}

BOOST_AUTO_TEST_SUITE_END()
