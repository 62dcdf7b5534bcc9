#include <boost/test/unit_test.hpp>

#include <weft/async/sleep.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/store/service/webhook_outbox.hpp>
#include <weft/testing/simulation.hpp>

BOOST_AUTO_TEST_SUITE(webhook_outbox_test)

namespace {

using namespace std::chrono_literals;
using weft::outbox_message;
using weft::outbox_state;

weft::task<void> wait_for(std::chrono::nanoseconds span) { co_await weft::sleep_for(span); }

class outbox_world {
public:
    bool add(std::string id)
    {
        outbox_message message;
        message.tenant = "acme";
        message.id = std::move(id);
        message.url = "https://example.com/hook";
        message.payload = R"({"run": 7})";
        return sim.run(outbox.add(message));
    }
    std::vector<outbox_message> take() { return sim.run(outbox.take(1min, 10)); }

    weft::memory_store store{weft::hash_key{}};
    weft::webhook_outbox outbox{store.service().documents()};
    weft::testing::simulation sim{1};
    weft::retry_policy twice{.attempts_max = 2, .initial = 10s};
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_message_is_taken_by_one_and_gone_when_it_arrived)
{
    outbox_world w;
    BOOST_TEST(w.add("a"));
    BOOST_TEST(!w.add("a"));
    const auto taken = w.take();
    BOOST_REQUIRE(taken.size() == 1u);
    BOOST_TEST(taken[0].url == "https://example.com/hook");
    BOOST_TEST(taken[0].payload == R"({"run":7})");
    BOOST_TEST(w.take().empty());
    BOOST_TEST(w.sim.run(w.outbox.delivered(taken[0])));
    w.sim.run(wait_for(50min));
    BOOST_TEST(w.take().empty());
}

BOOST_AUTO_TEST_CASE(a_taker_that_dies_leaves_its_messages_to_others)
{
    outbox_world w;
    BOOST_TEST(w.add("a"));
    const auto first = w.take();
    w.sim.run(wait_for(2min));
    const auto second = w.take();
    BOOST_REQUIRE(second.size() == 1u);
    BOOST_TEST(!w.sim.run(w.outbox.delivered(first[0])));
    BOOST_TEST((w.sim.run(w.outbox.failed(first[0], "late", w.twice)) == outbox_state::lost));
    BOOST_TEST(w.sim.run(w.outbox.delivered(second[0])));
}

BOOST_AUTO_TEST_CASE(a_message_whose_attempts_are_used_up_is_dead_until_it_is_revived)
{
    outbox_world w;
    BOOST_TEST(w.add("a"));
    BOOST_TEST((w.sim.run(w.outbox.failed(w.take()[0], "503", w.twice)) == outbox_state::again));
    w.sim.run(wait_for(50min));
    const auto again = w.take();
    BOOST_REQUIRE(again.size() == 1u);
    BOOST_TEST(again[0].attempts == 1u);
    BOOST_TEST((w.sim.run(w.outbox.failed(again[0], "still 503", w.twice)) == outbox_state::dead));
    w.sim.run(wait_for(50min));
    BOOST_TEST(w.take().empty());
    const auto dead = w.sim.run(w.outbox.dead("acme", 10));
    BOOST_REQUIRE(dead.size() == 1u);
    BOOST_TEST(dead[0].last_error == "still 503");
    BOOST_TEST(!w.add("a"));
    BOOST_TEST(w.sim.run(w.outbox.revive("acme", "a")));
    BOOST_TEST(!w.sim.run(w.outbox.revive("acme", "a")));
    const auto revived = w.take();
    BOOST_REQUIRE(revived.size() == 1u);
    BOOST_TEST(revived[0].attempts == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
