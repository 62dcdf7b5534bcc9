#include <boost/test/unit_test.hpp>

#include <weft/agent/core/agent_mailbox.hpp>

#include <thread>
#include <vector>

BOOST_AUTO_TEST_SUITE(agent_mailbox_test)

BOOST_AUTO_TEST_CASE(what_is_said_reaches_its_thread_in_order)
{
    weft::agent_mailbox mailbox;
    BOOST_TEST(mailbox.post("a", "one"));
    BOOST_TEST(mailbox.post("b", "other"));
    BOOST_TEST(mailbox.post("a", "two", weft::message_author::person));
    BOOST_TEST(mailbox.waiting("a") == 2u);
    const weft::mailbox_content content = mailbox.take("a");
    BOOST_REQUIRE(content.messages.size() == 2u);
    BOOST_TEST(text_of(content.messages[0]) == "[External event]: one");
    BOOST_TEST(text_of(content.messages[1]) == "two");
    BOOST_TEST(mailbox.take("c").empty());
}

BOOST_AUTO_TEST_CASE(triggers_are_one_batch)
{
    weft::agent_mailbox mailbox;
    BOOST_TEST(mailbox.trigger("a", {"timer", "daily", nullptr}));
    BOOST_TEST(mailbox.trigger("a", {"webhook", "shop", {{"order", 7}}}));
    BOOST_TEST(text_of(mailbox.take("a").triggers) ==
               "[TRIGGER: timer/daily]\n\n[TRIGGER: webhook/shop]\n{\"order\": 7}");
    BOOST_TEST(text_of(std::vector<weft::mailbox_trigger>{}).empty());
}

BOOST_AUTO_TEST_CASE(what_was_taken_comes_again_until_it_is_confirmed)
{
    weft::agent_mailbox mailbox;
    BOOST_TEST(mailbox.post("a", "one"));
    BOOST_TEST(mailbox.take("a").messages.size() == 1u);
    BOOST_TEST(mailbox.post("a", "two"));
    BOOST_TEST(mailbox.take("a").messages.size() == 2u);
    BOOST_TEST(mailbox.post("a", "three"));
    mailbox.confirm("a");
    const weft::mailbox_content rest = mailbox.take("a");
    BOOST_REQUIRE(rest.messages.size() == 1u);
    BOOST_TEST(rest.messages[0].text == "three");
    mailbox.confirm("a");
    BOOST_TEST(mailbox.take("a").empty());
    mailbox.confirm("nobody");
}

BOOST_AUTO_TEST_CASE(a_full_mailbox_says_so)
{
    weft::agent_mailbox mailbox{{.addresses_max = 2, .items_max = 2, .bytes_max = 10}};
    BOOST_TEST(mailbox.post("a", "12345"));
    BOOST_TEST(!mailbox.post("a", "123456"));
    BOOST_TEST(mailbox.post("a", "12345"));
    BOOST_TEST(!mailbox.post("a", ""));
    BOOST_TEST(mailbox.post("b", "x"));
    BOOST_TEST(!mailbox.post("c", "x"));
    (void)mailbox.take("a");
    mailbox.confirm("a");
    BOOST_TEST(mailbox.post("c", "x"));
}

BOOST_AUTO_TEST_CASE(several_os_threads_speak_at_once)
{
    weft::agent_mailbox mailbox{{.addresses_max = 10, .items_max = 4'000, .bytes_max = 1'000'000}};
    std::vector<std::thread> speakers;
    for (int i = 0; i < 4; ++i)
        speakers.emplace_back([&mailbox] {
            for (int k = 0; k < 500; ++k) (void)mailbox.post("a", "x");
        });
    std::size_t heard = 0;
    while (heard < 1'000) {
        heard += mailbox.take("a").messages.size();
        mailbox.confirm("a");
    }
    for (std::thread& one : speakers) one.join();
    heard += mailbox.take("a").messages.size();
    BOOST_TEST(heard == 2'000u);
}

BOOST_AUTO_TEST_SUITE_END()
