#include <boost/test/unit_test.hpp>

#include "model/fake_models.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/model/decorator/cached_model.hpp>
#include <weft/testing/async_test_case.hpp>

#include <atomic>
#include <thread>

BOOST_AUTO_TEST_SUITE(cached_model_test)

namespace {

using namespace fake_models;
using weft::cached_model;
using weft::errc;
using weft::reply_cache;
using weft::task;
namespace this_task = weft::this_task;

fake_call answers()
{
    fake_call call;
    call.usage = used(7, 3);
    return call;
}

task<void> ask_and_note(weft::chat_model& model, std::vector<ended_call>& all)
{
    ended_call ended = co_await ask(model);
    all.push_back(std::move(ended));
}

/** Answers with all kinds of parts, at once. */
class rich_model final : public weft::chat_model {
public:
    [[nodiscard]] std::string_view label() const noexcept override { return "rich"; }

private:
    task<weft::chat_reply> do_reply(weft::chat_request, weft::chat_sink&) override
    {
        weft::chat_reply reply;
        reply.id = "r";
        reply.stop = weft::stop_reason::tool_calls;
        reply.message = weft::message::assistant("text");
        reply.message.content.push_back(weft::reasoning_part{.text = "hm"});
        reply.message.content.push_back(weft::refusal_part{.text = "no"});
        reply.message.tool_calls.push_back({.id = "c1", .name = "find", .arguments = "{}"});
        co_return reply;
    }
};

}  // namespace

WEFT_ASYNC_TEST_CASE(an_equal_question_is_answered_from_memory)
{
    const auto inner = fake_model::doing({answers()});
    reply_cache cache;
    cached_model model{inner, cache};
    const ended_call first = co_await ask(model);
    noting_sink sink;
    const ended_call second = co_await ask(model, question(), sink);
    BOOST_TEST(text_of(second) == "Hello");
    BOOST_TEST(sink.seen == "<reply-0>Hello|");
    BOOST_TEST((second.took == 0s));
    BOOST_TEST((second.reply->usage == weft::usage{}));
    BOOST_TEST(second.reply->attempts == 0);
    BOOST_TEST(second.reply->cost->count() == 0);
    BOOST_TEST(inner->asked.size() == 1U);
    const ended_call other = co_await ask(model, question("Who?"));
    BOOST_TEST(inner->asked.size() == 2U);
    BOOST_TEST(cache.counts().hits == 1);
}

WEFT_ASYNC_TEST_CASE(every_kind_of_part_is_replayed)
{
    cached_model model{std::make_shared<rich_model>(), reply_cache{}};
    const ended_call first = co_await ask(model);
    noting_sink sink;
    const ended_call second = co_await ask(model, question(), sink);
    BOOST_TEST(sink.seen == "<r>text|{hm}[no]c1:find({})");
    BOOST_TEST((second.reply->message == first.reply->message));
}

WEFT_ASYNC_TEST_CASE(a_label_goes_round_the_cache)
{
    const auto inner = fake_model::doing({answers()});
    reply_cache cache;
    cached_model model{inner, cache};
    weft::chat_request fresh = question();
    fresh.labels["cache"] = "bypass";
    for (int call = 0; call < 2; ++call) co_await ask(model, fresh);
    BOOST_TEST(inner->asked.size() == 2U);
    BOOST_TEST(cache.counts().entries == 0U);
}

WEFT_ASYNC_TEST_CASE(models_share_replies_only_by_name)
{
    const auto one = fake_model::doing({answers()}, "one");
    const auto two = fake_model::doing({answers()}, "two");
    reply_cache cache;
    cached_model first{one, cache};
    cached_model second{two, cache};
    co_await ask(first);
    co_await ask(second);
    BOOST_TEST(two->asked.size() == 1U);
    cached_model third{two, cache, {.name = "one"}};
    co_await ask(third);
    BOOST_TEST(two->asked.size() == 1U);
}

WEFT_ASYNC_TEST_CASE(replies_grow_old)
{
    const auto inner = fake_model::doing({answers()});
    cached_model model{inner, reply_cache{{.keep_for = 1min}}};
    co_await ask(model);
    co_await weft::sleep_for(59s);
    co_await ask(model);
    BOOST_TEST(inner->asked.size() == 1U);
    co_await weft::sleep_for(1s);
    co_await ask(model);
    BOOST_TEST(inner->asked.size() == 2U);
}

WEFT_ASYNC_TEST_CASE(equal_calls_at_the_same_time_are_made_once)
{
    const weft::task_context& context = co_await this_task::context();
    const auto inner = fake_model::doing({answers()});
    cached_model model{inner, reply_cache{}};
    std::vector<ended_call> all;
    weft::scope children{context};
    for (int i = 0; i < 5; ++i) children.spawn(ask_and_note(model, all));
    co_await children.join();
    BOOST_TEST(inner->asked.size() == 1U);
    weft::usage sum;
    for (const ended_call& ended : all) {
        BOOST_TEST(text_of(ended) == "Hello");
        sum += ended.reply->usage;
    }
    BOOST_TEST((sum == used(7, 3)));
}

WEFT_ASYNC_TEST_CASE(errors_are_shared_with_those_who_wait_and_not_kept)
{
    const weft::task_context& context = co_await this_task::context();
    const auto inner = fake_model::doing({fails(status(500)), answers()});
    cached_model model{inner, reply_cache{}};
    std::vector<ended_call> all;
    weft::scope children{context};
    for (int i = 0; i < 3; ++i) children.spawn(ask_and_note(model, all));
    co_await children.join();
    for (const ended_call& ended : all) BOOST_TEST(ended.code == errc::model_overloaded);
    BOOST_TEST(inner->asked.size() == 1U);
    const ended_call later = co_await ask(model);
    BOOST_TEST(text_of(later) == "Hello");
}

WEFT_ASYNC_TEST_CASE(a_leader_that_is_stopped_or_whose_sink_throws_takes_nobody_along)
{
    const weft::task_context& context = co_await this_task::context();
    const auto inner = fake_model::doing({answers()});
    cached_model model{inner, reply_cache{}};
    std::vector<ended_call> stopped;
    std::vector<ended_call> all;
    weft::scope doomed{context};
    weft::scope children{context};
    doomed.spawn(ask_and_note(model, stopped));
    children.spawn(ask_and_note(model, all));
    children.spawn(ask_and_note(model, all));
    doomed.request_stop();
    co_await doomed.join();
    co_await children.join();
    BOOST_TEST(stopped[0].code == errc::cancelled);
    BOOST_REQUIRE(all.size() == 2U);
    for (const ended_call& ended : all) BOOST_TEST(text_of(ended) == "Hello");
    BOOST_TEST(inner->asked.size() == 2U);
    noting_sink sink;
    sink.throws_at = ">";
    const ended_call ended = co_await ask(model, question(), sink);
    BOOST_TEST(ended.what.find("a sink") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_stop_ends_the_call_and_the_wait)
{
    const auto calls = []() -> task<void> {
        const weft::task_context& context = co_await this_task::context();
        cached_model model{fake_model::doing({answers()}), reply_cache{}};
        std::vector<ended_call> all;
        weft::scope children{context};
        for (int i = 0; i < 3; ++i) children.spawn(ask_and_note(model, all));
        co_await children.join();
    };
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(calls) >= 4U);
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(calls) >= 4U);
}

BOOST_AUTO_TEST_CASE(loops_on_several_os_threads_share_one_cache)
{
    reply_cache cache;
    std::atomic<int> calls{0};
    std::atomic<int> answered{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            const auto inner = std::make_shared<fake_model>([&](std::size_t, const weft::chat_request&) {
                ++calls;
                fake_call quick = answers();
                quick.first_token = 1ms;
                return quick;
            });
            cached_model model{inner, cache, {.name = "shared"}};
            const auto all = [&]() -> task<void> {
                for (int i = 0; i < 20; ++i) {
                    const ended_call ended = co_await ask(model, question(std::to_string(i)));
                    answered += ended.reply ? 1 : 0;
                }
            };
            weft::run_blocking(all());
        });
    for (auto& thread : threads) thread.join();
    BOOST_TEST(answered == 80);
    BOOST_TEST(calls == 20);
}

BOOST_AUTO_TEST_SUITE_END()
