#include <boost/test/unit_test.hpp>

#include "model/fake_models.hpp"

#include <weft/model/decorator/hedged_model.hpp>
#include <weft/testing/async_test_case.hpp>

#include <algorithm>

BOOST_AUTO_TEST_SUITE(hedged_model_test)

namespace {

using namespace fake_models;
using weft::errc;
using weft::hedged_model;
using weft::hedged_model_options;
using weft::task;

fake_call after(std::chrono::nanoseconds first_token, std::vector<std::string> pieces = {"Hel", "lo"})
{
    fake_call call;
    call.first_token = first_token;
    call.pieces = std::move(pieces);
    call.usage = used(7, 3);
    return call;
}

/** Hedges after 200 ms, as often as asked. */
hedged_model_options eager()
{
    hedged_model_options options;
    options.delay_at_first = 200ms;
    options.observations_min = 1'000;
    options.budget = {.share = 1, .reserve = 10};
    return options;
}

}  // namespace

WEFT_ASYNC_TEST_CASE(a_call_that_speaks_in_time_is_made_once)
{
    const auto inner = fake_model::doing({after(199ms)});
    hedged_model model{inner, eager()};
    const ended_call ended = co_await ask(model);
    BOOST_TEST(text_of(ended) == "Hello");
    BOOST_TEST(inner->asked.size() == 1U);
    BOOST_TEST((ended.reply->usage == used(7, 3)));
    BOOST_TEST(model.counts().hedges == 0);
}

WEFT_ASYNC_TEST_CASE(the_second_call_wins_if_it_speaks_first)
{
    const auto inner = fake_model::doing({after(10s, {"slow"}), after(100ms, {"fa", "st"})});
    hedged_model model{inner, eager()};
    noting_sink sink;
    const ended_call ended = co_await ask(model, question(), sink);
    BOOST_TEST(text_of(ended) == "fast");
    BOOST_TEST(sink.seen == "<reply-1>fa|st|");
    BOOST_TEST((ended.took == 310ms));
    BOOST_TEST(inner->cut_short == 1U);
    BOOST_TEST(inner->running == 0U);
    BOOST_TEST(ended.reply->usage.unreported == 1);
    BOOST_TEST(ended.reply->usage.input.count() == 7);
    BOOST_TEST(ended.reply->attempts == 2);
    BOOST_TEST(model.counts().won == 1);
    BOOST_TEST(inner->asked[1].call_id == inner->asked[0].call_id + "-hedge");
}

WEFT_ASYNC_TEST_CASE(the_first_call_wins_if_it_speaks_first_though_it_ends_later)
{
    fake_call slow_writer = after(250ms, {"a", "b", "c"});
    slow_writer.gap = 1s;
    const auto inner = fake_model::doing({slow_writer, after(100ms, {"x"})});
    hedged_model model{inner, eager()};
    noting_sink sink;
    const ended_call ended = co_await ask(model, question(), sink);
    BOOST_TEST(sink.seen == "<reply-0>a|b|c|");
    BOOST_TEST(text_of(ended) == "abc");
    BOOST_TEST(inner->cut_short == 1U);
    BOOST_TEST(model.counts().won == 0);
}

WEFT_ASYNC_TEST_CASE(a_first_call_that_fails_is_not_repeated)
{
    const auto inner = fake_model::doing({fails(status(500))});
    hedged_model model{inner, eager()};
    const ended_call ended = co_await ask(model);
    BOOST_TEST(ended.code == errc::model_overloaded);
    BOOST_TEST(inner->asked.size() == 1U);
}

WEFT_ASYNC_TEST_CASE(when_one_of_two_fails_the_other_goes_on)
{
    fake_call late_failure = fails(status(500));
    late_failure.first_token = 300ms;
    const auto first_fails = fake_model::doing({late_failure, after(1s)});
    hedged_model one{first_fails, eager()};
    const ended_call ended = co_await ask(one);
    BOOST_TEST(text_of(ended) == "Hello");
    BOOST_TEST((ended.reply->usage == used(7, 3)));  // what failed was refused

    const auto second_fails = fake_model::doing({after(1s), fails(status(500))});
    hedged_model other{second_fails, eager()};
    const ended_call also = co_await ask(other);
    BOOST_TEST(text_of(also) == "Hello");

    const auto both_fail = fake_model::doing({late_failure, fails(status(401))});
    hedged_model none{both_fail, eager()};
    const ended_call failed = co_await ask(none);
    BOOST_TEST(failed.code == errc::model_overloaded);
}

WEFT_ASYNC_TEST_CASE(a_reply_without_deltas_wins_when_it_is_whole)
{
    const auto inner = fake_model::doing({after(10s, {}), after(100ms, {})});
    hedged_model model{inner, eager()};
    noting_sink sink;
    const ended_call ended = co_await ask(model, question(), sink);
    BOOST_TEST(ended.reply->id == "reply-1");
    BOOST_TEST(sink.seen == "<reply-1>");
}

WEFT_ASYNC_TEST_CASE(hedges_wait_for_enough_observations_and_keep_to_their_budget)
{
    hedged_model_options options;
    options.observations_min = 5;
    options.budget = {.share = 0, .reserve = 2};
    const auto inner = std::make_shared<fake_model>(
        [](std::size_t number, const weft::chat_request&) { return after(number < 5 ? 100ms : 1s); });
    hedged_model model{inner, options};
    for (int call = 0; call < 5; ++call) co_await ask(model);
    BOOST_TEST(model.counts().hedges == 0);
    for (int call = 0; call < 5; ++call) co_await ask(model);
    BOOST_TEST(model.counts().hedges == 2);
    BOOST_TEST(inner->asked.size() == 12U);
}

WEFT_ASYNC_TEST_CASE(the_second_call_may_go_to_another_model)
{
    hedged_model_options options = eager();
    const auto other = fake_model::doing({after(100ms, {"other"})}, "other");
    options.second = other;
    const auto inner = fake_model::doing({after(10s)});
    hedged_model model{inner, options};
    const ended_call ended = co_await ask(model);
    BOOST_TEST(text_of(ended) == "other");
    BOOST_TEST(other->asked.size() == 1U);
}

WEFT_ASYNC_TEST_CASE(what_the_sink_throws_ends_both_calls)
{
    const auto inner = fake_model::doing({after(10s), after(100ms, {"a", "b"})});
    hedged_model model{inner, eager()};
    noting_sink sink;
    sink.throws_at = "a";
    const ended_call ended = co_await ask(model, question(), sink);
    BOOST_TEST(ended.what.find("a sink") != std::string::npos);
    BOOST_TEST(inner->running == 0U);
}

BOOST_AUTO_TEST_CASE(a_stop_ends_both_calls)
{
    const auto call = []() -> task<void> {
        const auto inner = fake_model::doing({after(10s), after(100ms)});
        hedged_model model{inner, eager()};
        weft::no_sink sink;
        co_await model.reply(question(), sink);
        BOOST_TEST(inner->running == 0U);
    };
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(call) >= 3U);
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(call) >= 3U);
}

namespace {

/** Times to the first token of many calls: mostly fast, three of a hundred very slow. */
std::chrono::nanoseconds p99_of(weft::testing::simulation& sim, weft::chat_model& model, int calls)
{
    std::vector<std::chrono::nanoseconds> took;
    const auto all = [&]() -> task<void> {
        for (int call = 0; call < calls; ++call) {
            const ended_call ended = co_await ask(model);
            took.push_back(ended.took);
        }
    };
    sim.run(all());
    std::sort(took.begin(), took.end());
    return took[took.size() * 99 / 100];
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_heavy_tail_is_cut_for_few_more_calls)
{
    constexpr int calls = 4'000;
    weft::testing::simulation sim{5};
    const auto inner = std::make_shared<fake_model>([&](std::size_t, const weft::chat_request&) {
        const std::uint64_t chance = sim.loop().random().below(1'000);
        return after(chance < 30 ? 8s : 100ms + std::chrono::milliseconds{chance % 200}, {"x"});
    });
    const auto plain = p99_of(sim, *inner, calls);
    hedged_model model{inner};
    inner->asked.clear();
    const auto hedged = p99_of(sim, model, calls);
    BOOST_TEST_MESSAGE("p99 " << plain / 1ms << " ms, hedged " << hedged / 1ms << " ms, hedges "
                              << model.counts().hedges << " of " << calls);
    BOOST_TEST((hedged <= plain * 4 / 10));
    BOOST_TEST(inner->asked.size() <= calls * 106U / 100U);
}

BOOST_AUTO_TEST_SUITE_END()
