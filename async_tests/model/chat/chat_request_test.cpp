#include <boost/test/unit_test.hpp>

#include <weft/model/chat_request.hpp>

BOOST_AUTO_TEST_SUITE(chat_request_test)

BOOST_AUTO_TEST_CASE(setters_chain_in_order)
{
    weft::chat_request request;
    weft::tool_spec spec;
    spec.name = "f";
    request.system("s").user("u").add(weft::message::assistant("a")).tool(spec);
    BOOST_REQUIRE(request.messages.size() == 3);
    BOOST_TEST((request.messages[0] == weft::message::system("s")));
    BOOST_TEST((request.messages[1] == weft::message::user("u")));
    BOOST_TEST((request.messages[2] == weft::message::assistant("a")));
    BOOST_TEST(request.tools.size() == 1);
}

BOOST_AUTO_TEST_CASE(a_request_shares_the_conversation_it_is_made_of)
{
    weft::list<weft::message> conversation{weft::message::user("a")};
    weft::chat_request request{conversation};
    BOOST_TEST(&request.messages[0] == &conversation[0]);
    request.user("b");
    BOOST_TEST(conversation.size() == 1);
}

BOOST_AUTO_TEST_SUITE_END()
