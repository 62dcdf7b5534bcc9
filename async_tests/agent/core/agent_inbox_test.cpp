#include <boost/test/unit_test.hpp>

#include "agent/core/agent_inbox.hpp"

#include <memory>
#include <string>

BOOST_AUTO_TEST_SUITE(agent_inbox_test)

namespace {

using weft::agent_inbox;
using weft::agent_mailbox;

std::string texts_of(agent_inbox& inbox, std::int64_t after)
{
    std::string text;
    for (const agent_inbox::letter& letter : inbox.read(after))
        text += std::to_string(letter.number) + letter.text + " ";
    return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(IVY_8_messages_are_read_in_order_until_a_state_has_them)
{
    const auto mailbox = std::make_shared<agent_mailbox>();
    BOOST_TEST(mailbox->post("t", "a"));
    BOOST_TEST(mailbox->post("t", "b"));
    agent_inbox inbox{mailbox, "t"};
    BOOST_TEST(texts_of(inbox, 0) == "1a 2b ");
    BOOST_TEST(texts_of(inbox, 0) == "1a 2b ");  // the node failed: nothing is lost
    BOOST_TEST(inbox.has_more(1));
    BOOST_TEST(!inbox.has_more(2));
    inbox.settle(1);
    BOOST_TEST(mailbox->waiting("t") == 1u);
    BOOST_TEST(texts_of(inbox, 1) == "2b ");
    BOOST_TEST(mailbox->post("t", "c"));
    BOOST_TEST(texts_of(inbox, 2) == "3c ");
}

BOOST_AUTO_TEST_CASE(a_new_mailbox_goes_on_with_the_numbers_of_the_state)
{
    const auto mailbox = std::make_shared<agent_mailbox>();
    BOOST_TEST(mailbox->post("t", "after the crash"));
    {
        agent_inbox inbox{mailbox, "t"};
        BOOST_TEST(texts_of(inbox, 7) == "8after the crash ");
        inbox.settle(7);
        BOOST_TEST(texts_of(inbox, 7) == "8after the crash ");
        inbox.settle(8);
    }
    BOOST_TEST(mailbox->waiting("t") == 0u);
    BOOST_TEST(mailbox->post("t", "later"));
    agent_inbox again{mailbox, "t"};
    BOOST_TEST(texts_of(again, 8) == "9later ");
}

BOOST_AUTO_TEST_CASE(an_abort_lasts_until_the_run_is_over)
{
    const auto mailbox = std::make_shared<agent_mailbox>();
    BOOST_TEST(mailbox->abort("t"));
    {
        agent_inbox inbox{mailbox, "t"};
        BOOST_TEST(inbox.is_aborted());
    }
    agent_inbox inbox{mailbox, "t"};
    BOOST_TEST(inbox.is_aborted());
    inbox.finish(0);
    BOOST_TEST(!(agent_inbox{mailbox, "t"}).is_aborted());
    BOOST_TEST(!(agent_inbox{mailbox, "other"}).is_aborted());
}

BOOST_AUTO_TEST_CASE(a_mailbox_is_bounded)
{
    weft::mailbox_limits most;
    most.items_max = 2;
    most.bytes_max = 5;
    most.addresses_max = 2;
    const auto mailbox = std::make_shared<agent_mailbox>(most);
    BOOST_TEST(mailbox->post("t", "123"));
    BOOST_TEST(!mailbox->post("t", "456"));
    BOOST_TEST(mailbox->post("t", "45"));
    BOOST_TEST(!mailbox->post("t", ""));
    BOOST_TEST(mailbox->post("u", "1"));
    BOOST_TEST(!mailbox->post("v", "1"));
    BOOST_TEST(!mailbox->abort("v"));
    BOOST_TEST(mailbox->abort("u"));
    {
        agent_inbox inbox{mailbox, "t"};
        inbox.finish(inbox.read(0).back().number);
    }
    BOOST_TEST(mailbox->post("v", "1"));  // what is idle takes no place
}

BOOST_AUTO_TEST_CASE(a_trigger_is_read_as_text_in_its_turn)
{
    const auto mailbox = std::make_shared<agent_mailbox>();
    BOOST_TEST(mailbox->post("t", "a"));
    BOOST_TEST(mailbox->trigger("t", {"timer", "daily", nullptr}));
    BOOST_TEST(mailbox->post("t", "b"));
    agent_inbox inbox{mailbox, "t"};
    BOOST_TEST(texts_of(inbox, 0) == "1a 2[TRIGGER: timer/daily] 3b ");
    inbox.settle(3);
    BOOST_TEST(mailbox->waiting("t") == 0u);
}

BOOST_AUTO_TEST_CASE(without_a_mailbox_nothing_comes)
{
    agent_inbox inbox{nullptr, "t"};
    BOOST_TEST(inbox.read(0).empty());
    BOOST_TEST(!inbox.has_more(0));
    BOOST_TEST(!inbox.is_aborted());
    BOOST_TEST(!inbox.abort_token().stop_possible());
    inbox.settle(1);
    inbox.finish(1);
}

BOOST_AUTO_TEST_SUITE_END()
