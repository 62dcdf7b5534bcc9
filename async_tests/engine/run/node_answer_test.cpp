#include <boost/test/unit_test.hpp>

#include "engine/visit/node_answer.hpp"
#include "graph/graphs.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/node/command.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

BOOST_AUTO_TEST_SUITE(node_answer_test)

namespace {

using namespace std::chrono_literals;

const weft::graph& targets()
{
    static const weft::graph built = weft_tests::plain_graph("ab", "^a ab b$").build();
    return built;
}

weft::send to(const std::string& node, std::int64_t number)
{
    weft::send item{node};
    return std::move(item).input(weft_tests::value, number);
}

weft::command sends(std::vector<weft::send> items) { return weft::command::fan_out(std::move(items)); }

/** The code and the message with which items are refused; the message is empty if they are not. */
std::pair<weft::errc, std::string> refusal_of(std::vector<weft::send> items)
{
    weft::command answer = sends(std::move(items));
    try {
        static_cast<void>(weft::resolve_items(targets(), answer));
    } catch (const weft::error& refused) {
        return {refused.code(), refused.what()};
    }
    return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(items_become_targets_and_writes_in_their_order)
{
    std::vector<weft::send> items;
    items.push_back(to("b", 1));
    items.push_back(std::move(to("a", 2)).timeout(3ms));
    items.push_back(to("b", 3));
    weft::command answer = sends(std::move(items));
    const weft::sent_items resolved = weft::resolve_items(targets(), answer);
    BOOST_REQUIRE(resolved.size() == 3u);
    BOOST_TEST(resolved[0].target == targets().find("b"));
    BOOST_TEST(resolved[1].target == targets().find("a"));
    BOOST_TEST(resolved[2].target == targets().find("b"));
    BOOST_TEST((resolved[0].timeout == 0ms));
    BOOST_TEST((resolved[1].timeout == 3ms));
    for (const weft::sent_item& item : resolved) {
        BOOST_REQUIRE(item.input.size() == 1u);
        BOOST_TEST(item.input[0].slot == targets().layout()->find("value"));
        BOOST_TEST(item.input[0].is_overwrite);
    }
}

BOOST_AUTO_TEST_CASE(an_item_for_an_unknown_node_is_named_by_its_place)
{
    std::vector<weft::send> items;
    items.push_back(to("a", 1));
    items.push_back(to("elsewhere", 2));
    const auto [code, message] = refusal_of(std::move(items));
    BOOST_TEST((code == weft::errc::unknown_node));
    BOOST_TEST(message.find("item 1 of a fan-out") != std::string::npos);
    BOOST_TEST(message.find("'elsewhere'") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_item_cannot_be_sent_to_the_start_or_the_end)
{
    for (const std::string_view place : {weft::start, weft::end}) {
        std::vector<weft::send> items;
        items.push_back(to(std::string{place}, 1));
        BOOST_TEST((refusal_of(std::move(items)).first == weft::errc::unknown_node));
    }
}

BOOST_AUTO_TEST_CASE(a_key_that_the_graph_does_not_have_is_refused)
{
    static constexpr weft::state_key<std::int64_t> missing{"missing"};
    std::vector<weft::send> items;
    weft::send item{"a"};
    items.push_back(std::move(item).input(missing, 1));
    BOOST_TEST((refusal_of(std::move(items)).first == weft::errc::unknown_state_key));
}

BOOST_AUTO_TEST_SUITE_END()
