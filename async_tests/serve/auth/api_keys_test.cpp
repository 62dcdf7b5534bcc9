#include <weft/serve/api_keys.hpp>

#include <weft/serve/principal.hpp>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(api_keys_test)

BOOST_AUTO_TEST_CASE(a_key_is_known_by_its_form)
{
    const std::string key = weft::new_api_key();
    BOOST_TEST(key.size() == 54U);
    BOOST_TEST(key.starts_with("weft_"));
    BOOST_TEST(weft::is_api_key(key));
    BOOST_TEST(weft::new_api_key() != key);
    for (std::size_t i = 0; i < key.size(); ++i) {
        std::string wrong = key;
        wrong[i] = wrong[i] == 'a' ? 'b' : 'a';
        BOOST_TEST(!weft::is_api_key(wrong), wrong);
    }
    BOOST_TEST(!weft::is_api_key(""));
    BOOST_TEST(!weft::is_api_key(key + "a"));
}

BOOST_AUTO_TEST_CASE(a_key_is_kept_as_its_digest)
{
    BOOST_TEST(weft::hash_of_api_key("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

BOOST_AUTO_TEST_CASE(scopes_allow_what_they_name)
{
    const weft::principal who{.scopes = {"threads:read", "store:*", "*:search", "nonsense", ""}};
    BOOST_TEST(who.may("threads", "read"));
    BOOST_TEST(!who.may("threads", "update"));
    BOOST_TEST(who.may("store", "delete"));
    BOOST_TEST(who.may("assistants", "search"));
    BOOST_TEST(!who.may("assistants", "read"));
    BOOST_TEST(!who.may("nonsense", ""));
    BOOST_TEST(weft::principal{}.may("server", "read"));
    BOOST_TEST(!weft::principal{.scopes = {}}.may("server", "read"));
}

BOOST_AUTO_TEST_SUITE_END()
