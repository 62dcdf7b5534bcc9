#include <boost/test/unit_test.hpp>

#include "durable_cases.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/task/yield_now.hpp>
#include <weft/base/list.hpp>
#include <weft/engine/trace/stored_run_event.hpp>
#include <weft/graph/state/written_values.hpp>
#include <weft/store/service_store.hpp>

#include <algorithm>
#include <string>
#include <utility>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(durable_large_state_test)

namespace {

/** An item that counts how often it is made JSON, and made of it. */
struct counted_item {
    std::string text;
    static inline int conversions = 0;
};
void tag_invoke(const boost::json::value_from_tag&, boost::json::value& to, const counted_item& from)
{
    ++counted_item::conversions;
    to = {{"text", from.text}};
}
counted_item tag_invoke(const boost::json::value_to_tag<counted_item>&, const boost::json::value& from)
{
    ++counted_item::conversions;
    return {std::string{from.at("text").as_string()}};
}

constexpr int item_count = 5'000;
// A piece is 64 KiB, of which an item of 100 bytes counts as some 370; a turn may end one thing and begin two others.
constexpr int in_a_turn_max = 3 * 200;

inline constexpr weft::state_key<weft::list<counted_item>> items{"items"};

/** Its first run writes all items, later ones three more. */
weft::graph grower()
{
    const auto grow = [](weft::node_context& ctx) {
        weft::list<counted_item> made = ctx.value_or(items, weft::list<counted_item>{});
        const int more = made.empty() ? item_count : 3;
        for (int i = 0; i < more; ++i) made.push_back({std::to_string(i) + std::string(100, '.')});
        ctx.set(items, made);
    };
    return weft::graph_builder{"grower"}.state(items).node("grow", grow).edge(weft::start, "grow").build();
}

/** The most conversions between two turns that something else had. */
weft::task<void> watch_turns(int* most)
{
    for (int last = counted_item::conversions;; last = counted_item::conversions) {
        co_await weft::yield_now();
        *most = std::max(*most, counted_item::conversions - last);
    }
}

weft::durable_options recording(weft::memory_store& store)
{
    weft::durable_options options;
    options.event_log = &store.service().run_events();
    return options;
}

/** A run of the thread `t` by an engine that knows nothing of the ones before. */
weft::task<weft::run_result> run_anew(weft::memory_store* store, int* most)
{
    weft::durable_engine engine{*store, graphs_of(grower()), recording(*store)};
    co_await engine.open();
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope watching{context};
    watching.spawn(watch_turns(most));
    weft::run_result result = co_await engine.run(in_thread("t"));
    watching.request_stop();
    co_await watching.join();
    co_await engine.close();
    co_return result;
}

/** The items that the log says were written. */
weft::task<std::size_t> items_in_log(weft::memory_store* store, weft::run_id run)
{
    const weft::event_page page = co_await store->service().run_events().read(run, 0, 100);
    weft::stored_event_reader reader{grower()};
    std::size_t count = 0;
    for (const weft::stored_event& each : page.events) {
        const weft::run_event event = reader.read(each.data);
        if (!event.written) continue;
        if (const auto* const found = event.written->state().find(items)) count = std::max(count, found->size());
    }
    co_return count;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_large_state_is_saved_told_and_read_again_in_pieces)
{
    weft::memory_store store{test_key()};
    int most = 0;
    const weft::run_result first = weft::run_blocking(run_anew(&store, &most));
    BOOST_TEST_REQUIRE(first.ok());
    BOOST_TEST(counted_item::conversions >= 2 * item_count);  // for the checkpoint, and for the event
    BOOST_TEST(most > 0);
    BOOST_TEST(most <= in_a_turn_max);
    BOOST_TEST(weft::run_blocking(items_in_log(&store, first.id)) == item_count);

    counted_item::conversions = most = 0;
    const weft::run_result second = weft::run_blocking(run_anew(&store, &most));
    BOOST_TEST_REQUIRE(second.ok());
    BOOST_TEST(counted_item::conversions >= item_count);  // read; the event of the start has them all again
    BOOST_TEST(most <= in_a_turn_max);
    BOOST_TEST(second.state.get(items).size() == item_count + 3u);
    BOOST_TEST(second.state.get(items)[4'999].text == first.state.get(items)[4'999].text);
}

BOOST_AUTO_TEST_SUITE_END()
