#include <weft/agent/chat_agent/speech_manager.hpp>

#include <boost/test/unit_test.hpp>

#include "tool/own_directory.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/store/memory_items.hpp>
#include <weft/store/sqlite_store.hpp>
#include <weft/testing/scripted_model.hpp>
#include <weft/testing/simulation.hpp>

#include <memory>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(speech_manager_test)

using namespace std::chrono_literals;
using weft::speech_reason;
using weft::testing::scripted_turn;

namespace {

/** A piece of a thread, and how long it is quiet behind it. */
struct spoken {
    std::string thread;
    std::string piece;
    std::chrono::milliseconds quiet;
};

/** Everything that a test hears, and when. */
struct heard_speech {
    weft::testing::simulation sim{1};
    std::shared_ptr<weft::memory_items> store = std::make_shared<weft::memory_items>();
    weft::speech_records records{weft::item_space{store, "acme"}};
    std::vector<std::string> heard;  // `thread@ms reason: content`

    weft::speech_manager_options options()
    {
        weft::speech_manager_options made;
        made.deliver = [this](weft::speech_record record) { return note(*this, std::move(record)); };
        return made;
    }
    static weft::task<void> note(heard_speech& self, weft::speech_record record)
    {
        const auto at = std::chrono::duration_cast<std::chrono::milliseconds>(self.sim.elapsed());
        self.heard.push_back(record.thread + "@" + std::to_string(at.count()) + " " +
                             weft::to_json(record.reason).as_string().c_str() + ": " + record.content);
        co_return;
    }
};

weft::task<void> rest(std::chrono::nanoseconds time) { co_await weft::sleep_for(time); }

weft::task<void> speak(weft::speech_manager& manager, std::vector<spoken> pieces)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope serving{context};
    serving.spawn(manager.serve());
    for (const spoken& one : pieces) {
        (void)manager.add(one.thread, one.piece);
        co_await weft::sleep_for(one.quiet);
    }
    manager.close();
    co_await serving.join();
}

std::vector<std::string> listen_to(std::vector<spoken> pieces, weft::speech_judge judge = {})
{
    heard_speech all;
    weft::speech_manager_options options = all.options();
    options.judge = std::move(judge);
    weft::speech_manager manager{all.sim.loop(), options};
    all.sim.run(speak(manager, std::move(pieces)));
    return all.heard;
}

void expect(const std::vector<std::string>& heard, const std::vector<std::string>& expected)
{
    BOOST_TEST(heard == expected, boost::test_tools::per_element());
}

weft::task<std::vector<weft::speech_record>> taken_from(weft::speech_records records, std::string thread)
{
    return records.take(std::move(thread));
}

}  // namespace

BOOST_AUTO_TEST_CASE(SUL_22_active_speech_is_only_buffered_and_the_pause_decides)
{
    // Whole sentences and requests while speech goes on: nothing happens before the pause behind the last one.
    expect(listen_to({{"a", "Can you tell me the time.", 1400ms}, {"a", "In Rome, please.", 10s}}),
           {"a@2900 sentence_end: Can you tell me the time. In Rome, please."});
    expect(listen_to({{"a", "could you tell me the time in Rome", 10s}}),
           {"a@1500 complete_thought: could you tell me the time in Rome"});
}

BOOST_AUTO_TEST_CASE(SUL_22_an_incomplete_thought_waits_for_more_and_three_seconds_force_it)
{
    expect(listen_to({{"a", "the boat with the red sails", 2s}, {"a", "is gone.", 10s}, {"a", "oh", 10s}}),
           {"a@3500 sentence_end: the boat with the red sails is gone.", "a@15000 silence: oh"});
    expect(listen_to({{"a", "the boat with the red sails", 10s}}), {"a@3000 silence: the boat with the red sails"});
}

BOOST_AUTO_TEST_CASE(SUL_22_who_never_stops_is_answered_after_fifteen_seconds)
{
    const std::vector<std::string> heard = listen_to(std::vector<spoken>(40, spoken{"a", "and then.", 500ms}));
    BOOST_REQUIRE(!heard.empty());
    BOOST_TEST(heard[0].starts_with("a@15000 too_old: and then. and then."), heard[0]);
}

BOOST_AUTO_TEST_CASE(SUL_22_threads_are_heard_apart)
{
    expect(listen_to({{"a", "what is the price", 100ms}, {"b", "where is the harbour", 100ms}, {"a", "of tea", 10s}}),
           {"b@1600 complete_thought: where is the harbour", "a@1700 complete_thought: what is the price of tea"});
}

BOOST_AUTO_TEST_CASE(SUL_22_a_model_evaluates_the_pause)
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    model->then(scripted_turn{R"({"answer": "no", "reasoning": "goes on"})"})
        .then(scripted_turn{R"({"answer": "yes", "reasoning": "done"})"});
    // By the rule the first would be complete and the second not.
    expect(listen_to({{"a", "what I mean by that is", 2s}, {"a", "the boat with red sails", 10s}},
                     weft::speech_judge_of(model)),
           {"a@3500 complete_thought: what I mean by that is the boat with red sails"});
    model->assert_complete();
    const std::vector<weft::chat_request> asked = model->requests();
    BOOST_TEST(asked.at(0).messages.back().text() == "what I mean by that is");
    BOOST_REQUIRE(asked.at(0).output.has_value());
    BOOST_TEST(asked.at(0).output->schema.at("properties").at("answer").at("enum").as_array().size() == 2u);
}

BOOST_AUTO_TEST_CASE(SUL_22_a_model_that_fails_or_says_neither_leaves_the_pause_to_the_rule)
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    model->then(scripted_turn{}.fails(weft::errc::model_overloaded)).then(scripted_turn{"Hm."});
    expect(listen_to({{"a", "what is the price of tea", 10s}, {"a", "where is the harbour now", 10s}},
                     weft::speech_judge_of(model)),
           {"a@1500 complete_thought: what is the price of tea",
            "a@11500 complete_thought: where is the harbour now"});
    model->assert_complete();
}

BOOST_AUTO_TEST_CASE(SUL_22_a_slow_model_is_overtaken_by_the_silence)
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    model->then(scripted_turn{}.wait(4s).text("yes"));
    expect(listen_to({{"a", "what is the price of tea", 10s}}, weft::speech_judge_of(model)),
           {"a@3000 silence: what is the price of tea"});
}

BOOST_AUTO_TEST_CASE(SUL_22_a_record_lies_in_the_store_until_it_is_answered)
{
    heard_speech all;
    weft::speech_manager_options options;
    options.records = all.records;
    std::size_t seen = 0;
    options.deliver = [&](weft::speech_record record) {
        ++seen;
        if (record.content == "fails") throw weft::error{weft::errc::node_failed, "test", "broken"};
        return heard_speech::note(all, std::move(record));
    };
    weft::speech_manager manager{all.sim.loop(), options};
    all.sim.run(speak(manager, {{"a", "fails", 5s}, {"a", "works", 5s}}));
    BOOST_TEST(seen == 2u);
    BOOST_TEST(manager.counts().failed == 1u);
    BOOST_TEST(manager.counts().last_failure.find("broken") != std::string::npos);
    expect(all.heard, {"a@8000 silence: works"});
    // What failed is still there for another process, under the name of the seed.
    const auto items = all.sim.run(all.store->list("acme", {"stream_buffer:a"}, std::nullopt, 10));
    BOOST_REQUIRE(items.size() == 1u);
    const boost::json::object& record = items[0].value.as_object();
    BOOST_TEST(record.at("content").as_string() == "fails");
    BOOST_TEST(record.at("processed").as_bool() == false);
    BOOST_TEST(record.at("handoff_type").as_string() == "speech_buffer");
    BOOST_TEST(record.at("timestamp").as_int64() > 0);
    BOOST_TEST(items[0].expires.has_value());
}

BOOST_AUTO_TEST_CASE(SUL_22_another_process_takes_the_records_in_their_order_and_each_once)
{
    heard_speech all;
    weft::speech_manager_options options;
    options.records = all.records;
    weft::speech_manager manager{all.sim.loop(), options};
    all.sim.run(speak(manager, {{"a", "one", 4s}, {"b", "other", 0ms}, {"a", "two", 4s}}));
    const auto taken = all.sim.run(taken_from(all.records, "a"));
    BOOST_REQUIRE(taken.size() == 2u);
    BOOST_TEST(taken[0].content == "one");
    BOOST_TEST(taken[1].content == "two");
    BOOST_TEST(all.sim.run(taken_from(all.records, "a")).empty());
    BOOST_TEST(all.sim.run(taken_from(all.records, "b")).size() == 1u);
}

BOOST_AUTO_TEST_CASE(SUL_22_records_lie_in_sqlite_as_well)
{
    heard_speech all;
    const weft_tests::own_directory directory{"speech"};
    weft::task<std::unique_ptr<weft::sqlite_store>> opening =
        weft::sqlite_store::open(weft::sqlite_options{(directory.path() / "weft.db").string()});
    const std::shared_ptr<weft::sqlite_store> store = all.sim.run(std::move(opening));
    all.records = weft::speech_records{weft::item_space{store, "acme"}};
    weft::speech_manager_options options;
    options.records = all.records;
    weft::speech_manager manager{all.sim.loop(), options};
    all.sim.run(speak(manager, {{"a", "one", 4s}}));
    const auto taken = all.sim.run(taken_from(all.records, "a"));
    BOOST_REQUIRE(taken.size() == 1u);
    BOOST_TEST(taken[0].content == "one");
}

BOOST_AUTO_TEST_CASE(SUL_22_a_write_that_fails_is_tried_again_and_the_record_handed_over_anyway)
{
    heard_speech all;
    weft::speech_manager_options options = all.options();
    options.records = weft::speech_records{weft::item_space{std::make_shared<weft::memory_items>(0), "acme"}};
    weft::speech_manager manager{all.sim.loop(), options};
    all.sim.run(speak(manager, {{"a", "one", 9s}}));
    BOOST_TEST(manager.counts().failed == 3u);  // three attempts
    BOOST_REQUIRE(all.heard.size() == 1u);
    BOOST_TEST(all.heard[0].ends_with("silence: one"));
}

BOOST_AUTO_TEST_CASE(SUL_22_the_status_of_a_buffer_can_be_watched_and_it_can_be_flushed)
{
    heard_speech all;
    weft::speech_manager manager{all.sim.loop(), all.options()};
    BOOST_TEST(!manager.status("a").exists);
    BOOST_TEST(!manager.flush("a"));
    BOOST_TEST((manager.add("a", "  ").reason == speech_reason::waiting));
    BOOST_TEST(!manager.status("a").exists);
    BOOST_TEST(!manager.add("a", "one").is_ready());
    all.sim.run(rest(700ms));
    weft::speech_status status = manager.status("a");
    BOOST_TEST(status.content == "one");
    BOOST_TEST((status.age == 700ms));
    BOOST_TEST((status.state == weft::speech_state::speaking));
    all.sim.run(rest(1s));
    BOOST_TEST((manager.status("a").state == weft::speech_state::paused));
    BOOST_TEST(manager.flush("a"));
    BOOST_TEST(!manager.flush("a"));
    status = manager.status("a");
    BOOST_TEST((status.state == weft::speech_state::silent));
    BOOST_TEST(status.waiting == 1u);
    all.sim.run(speak(manager, {}));
    expect(all.heard, {"a@1700 forced: one"});
    BOOST_TEST(!manager.status("a").exists);
    BOOST_TEST(manager.counts().delivered == 1u);
}

BOOST_AUTO_TEST_CASE(SUL_22_nothing_grows_without_bound)
{
    heard_speech all;
    weft::speech_manager_options options = all.options();
    options.threads_max = 1;
    options.waiting_max = 2;
    weft::speech_manager manager{all.sim.loop(), options};
    const auto is_limit = [](const weft::error& e) { return e.code() == weft::errc::limit_reached; };
    BOOST_TEST(manager.add("a", "one", true).is_ready());
    BOOST_CHECK_EXCEPTION((void)manager.add("b", "other"), weft::error, is_limit);
    BOOST_TEST(manager.add("a", "two", true).is_ready());
    BOOST_CHECK_EXCEPTION((void)manager.add("a", "three"), weft::error, is_limit);  // two wait for serve
    all.sim.run(speak(manager, {}));
    BOOST_TEST(all.heard.size() == 2u);
    BOOST_CHECK_EXCEPTION((void)manager.add("a", "late"), weft::error,
                          [](const weft::error& e) { return e.code() == weft::errc::cancelled; });
    BOOST_CHECK_THROW((weft::speech_manager{all.sim.loop(), weft::speech_manager_options{}}), weft::error);
}

BOOST_AUTO_TEST_CASE(SUL_22_a_server_that_is_stopped_leaves_the_record_in_the_store)
{
    heard_speech all;
    weft::speech_manager_options options;
    options.records = all.records;
    options.deliver = [](const weft::speech_record&) { return rest(1h); };
    weft::speech_manager manager{all.sim.loop(), options};
    (void)manager.add("a", "one", true);
    {
        weft::testing::simulation::root<void> serving{all.sim, manager.serve()};
        weft::testing::simulation::root<void> meanwhile{all.sim, rest(1s)};
        while (!meanwhile.has_ended()) all.sim.step();
        serving.request_stop();
        while (!serving.has_ended()) all.sim.step();
        BOOST_CHECK_THROW(serving.take(), weft::error);
    }
    BOOST_TEST(manager.status("a").waiting == 1u);
    BOOST_TEST(all.sim.run(taken_from(all.records, "a")).size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
