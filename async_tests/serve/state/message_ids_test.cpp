#include "serve/state/message_ids.hpp"

#include <weft/base/list.hpp>
#include <weft/chat/message.hpp>

#include <boost/test/unit_test.hpp>

#include <optional>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(message_ids_test)

using weft::make_box;
using weft::message;
using weft::serve_detail::message_id_of;
using weft::serve_detail::name_messages;

weft::run_event visit_of(std::string_view node, std::string address = {}, std::string visits = {})
{
    weft::run_event visit;
    visit.node = node;
    visit.visit = 2;
    visit.address = std::move(address);
    visit.address_visits = std::move(visits);
    return visit;
}

message message_named(std::string id)
{
    message one = message::user("x");
    one.id = std::move(id);
    return one;
}

BOOST_AUTO_TEST_CASE(the_answer_of_a_node_has_the_id_of_what_it_emitted)
{
    const weft::run_event visit = visit_of("talk");
    weft::write_set writes;
    writes.push_back({0, false, false, make_box<message>(message::assistant("hello"))});
    writes.push_back({0, false, false, make_box<message>(message::tool_result("c", "1"))});
    writes.push_back({0, false, false, make_box<message>(message::assistant("more"))});
    writes.push_back({1, false, false, make_box<int>(7)});
    BOOST_TEST(!name_messages(visit, writes));
    const std::string id = message_id_of(visit);
    BOOST_TEST(weft::unboxed<message>(*writes[0].value).id == id);
    BOOST_TEST(weft::unboxed<message>(*writes[1].value).id == id + "-1");
    BOOST_TEST(weft::unboxed<message>(*writes[2].value).id == id + "-2");
    BOOST_TEST(weft::unboxed<int>(*writes[3].value) == 7);
}

BOOST_AUTO_TEST_CASE(messages_that_have_ids_keep_them_and_their_box)
{
    weft::write_set writes;
    const std::vector<message> both{message_named("a"), message_named("b")};
    writes.push_back({0, true, false, make_box<std::vector<message>>(both)});
    const weft::value_ptr before = writes[0].value;
    BOOST_TEST(!name_messages(visit_of("talk"), writes));
    BOOST_TEST(writes[0].value.get() == before.get());
    weft::list<message> mixed;
    mixed.push_back(message_named("a"));
    mixed.push_back(message::assistant("new"));
    writes[0].value = make_box<weft::list<message>>(mixed);
    BOOST_TEST(!name_messages(visit_of("talk"), writes));
    const auto& all = weft::unboxed<weft::list<message>>(*writes[0].value);
    BOOST_TEST(all[0].id == "a");
    BOOST_TEST(all[1].id == message_id_of(visit_of("talk")));
    BOOST_TEST(all[1].text() == "new");
}

template <class List>
List long_talk(std::size_t count, std::size_t bytes)
{
    List all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(message::user(std::string(bytes, 'm')));
    return all;
}

/** Names a list of 1,000 messages of 1 KB and one more write, and counts the turns. */
template <class List>
void check_long()
{
    weft::write_set writes;
    writes.push_back({0, true, false, make_box<List>(long_talk<List>(1'000, 1'000))});
    writes.push_back({1, false, false, make_box<message>(message::assistant("last"))});
    const weft::value_ptr before = writes[0].value;
    std::optional<weft::run_event> visit = visit_of("talk");
    const std::string id = message_id_of(*visit);
    auto rest = name_messages(*visit, writes);
    visit.reset();
    BOOST_REQUIRE(rest);
    int turns = 1;
    bool is_done = false;
    while (!is_done) {
        BOOST_TEST(writes[0].value == before);  // whole or not at all
        is_done = rest(writes);
        BOOST_REQUIRE(++turns < 100);
    }
    BOOST_TEST(turns >= 1'000'000 / (64 * 1024));
    const List& named = weft::unboxed<List>(*writes[0].value);
    BOOST_REQUIRE(named.size() == 1'000u);
    for (std::size_t i = 0; i < named.size(); ++i) {
        BOOST_TEST(named[i].id == id + '-' + std::to_string(i + 1));
        BOOST_TEST(named[i].content.size() == 1u);
    }
    BOOST_TEST(weft::unboxed<message>(*writes[1].value).id == id);
}

BOOST_AUTO_TEST_CASE(a_long_list_is_named_in_pieces)
{
    check_long<weft::list<message>>();
    check_long<std::vector<message>>();
}

BOOST_AUTO_TEST_CASE(the_messages_before_the_first_without_an_id_are_shared)
{
    weft::list<message> all;
    for (std::size_t i = 0; i < 1'000; ++i) all.push_back(message_named(std::to_string(i)));
    const weft::list<message> older = all;
    all.push_back(message::assistant("new"));
    weft::write_set writes;
    writes.push_back({0, true, false, make_box<weft::list<message>>(all)});
    BOOST_TEST(!name_messages(visit_of("talk"), writes));
    const auto& named = weft::unboxed<weft::list<message>>(*writes[0].value);
    BOOST_TEST(named.size() == 1'001u);
    BOOST_TEST(named.extends(older));
    BOOST_TEST(named.back().id == message_id_of(visit_of("talk")));
    BOOST_TEST(all.back().id.empty());
}

BOOST_AUTO_TEST_CASE(visits_within_nodes_differ)
{
    BOOST_TEST(message_id_of(visit_of("talk", "outer", "1")) != message_id_of(visit_of("talk", "outer", "2")));
    BOOST_TEST(message_id_of(visit_of("talk", "outer", "1")) != message_id_of(visit_of("talk")));
}

BOOST_AUTO_TEST_SUITE_END()
