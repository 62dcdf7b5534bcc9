#include <weft/engine/scheduler/frontier.hpp>
#include <weft/testing/async_test_case.hpp>

#include "engine/nodes.hpp"

#include <weft/engine/run/checkpoint_saver.hpp>
#include <weft/graph/node/subgraph.hpp>

#include <memory>

using namespace weft_tests;
using weft::checkpoint_kind;
using weft::durability;

BOOST_AUTO_TEST_SUITE(save_pipeline_test)

namespace {

/** Keeps frontiers in memory, each after a while; fails when it is told to. */
class slow_saver final : public weft::checkpoint_saver {
public:
    explicit slow_saver(std::chrono::nanoseconds span) : span_{span} {}

    weft::task<void> save(weft::frontier where, checkpoint_kind kind, std::string node) override
    {
        return keep_later(*this, std::move(where), kind, std::move(node));
    }

    std::vector<std::shared_ptr<const weft::frontier>> kept;
    std::vector<std::string> moments;
    std::size_t fails_at = 0;       ///< From 1; 0: never.
    std::size_t fails_count = 1;
    bool was_stopped = false;

private:
    static weft::task<void> keep_later(slow_saver& self, weft::frontier where, checkpoint_kind kind, std::string node)
    {
        if (self.span_.count() > 0) co_await weft::sleep_for(self.span_);
        self.was_stopped |= co_await weft::this_task::stop_requested();
        const std::size_t number = ++self.calls_;
        if (self.fails_at != 0 && number >= self.fails_at && number < self.fails_at + self.fails_count)
            throw weft::error{weft::errc::store_unavailable, "test", "fails on purpose"};
        self.kept.push_back(std::make_shared<const weft::frontier>(std::move(where)));
        self.moments.push_back(std::string{name_of(kind)} + (node.empty() ? "" : " " + node));
    }

    std::chrono::nanoseconds span_;
    std::size_t calls_ = 0;
};

weft::run_request kept_by(std::shared_ptr<slow_saver> saver, durability mode, bool is_best_effort = false)
{
    weft::save_options how{std::move(saver)};
    weft::run_options options;
    how.mode = mode;
    how.is_best_effort = is_best_effort;
    options.save_by(std::move(how));
    weft::run_request request{"t"};
    request.options(std::move(options));
    return request;
}

weft::graph chain(std::chrono::nanoseconds span = 10ms)
{
    return graph_of("").node("a", writes(span, 1)).node("b", writes(span, 2)).edge(weft::start, "a").edge("a", "b")
        .build();
}

weft::graph diamond()
{
    return graph_of("s").node("a", writes(10ms, 1)).node("b", writes(30ms, 2)).node("j", writes(0ms, 3))
        .edge(weft::start, "s").edge("s", "a").edge("s", "b").edge("a", "j").edge("b", "j").build();
}

weft::graph with_subgraph()
{
    weft::graph_builder builder = graph_of("s");
    builder.node("inner", weft::subgraph{diamond()}).node("b", sleeps(5ms)).node("z", writes(0ms, 4));
    return builder.edge(weft::start, "s").edge("s", "inner").edge("s", "b").edge("inner", "z").edge("b", "z").build();
}

std::vector<std::string> sorted_words(const weft::state& state)
{
    std::vector<std::string> all = state.get(words);
    std::sort(all.begin(), all.end());
    return all;
}

}  // namespace

WEFT_ASYNC_TEST_CASE(with_every_step_each_node_waits_until_the_one_before_is_kept)
{
    auto saver = std::make_shared<slow_saver>(100ms);
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const weft::time_point before = loop.now();
    const weft::engine engine{chain()};
    const weft::run_result result = co_await engine.run(kept_by(saver, durability::every_step));
    BOOST_TEST((result.status == weft::run_status::finished));
    BOOST_TEST(saver->moments == (std::vector<std::string>{"node_complete a", "finish"}));
    BOOST_TEST((loop.now() - before >= 220ms));
    BOOST_TEST(saver->kept.front()->root->root().get(words).size() == 1u);
}

WEFT_ASYNC_TEST_CASE(P36_with_async_steps_the_run_does_not_wait_and_its_end_waits_for_all)
{
    auto saver = std::make_shared<slow_saver>(100ms);
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const weft::time_point before = loop.now();
    const weft::engine engine{diamond()};
    const weft::run_result result = co_await engine.run(kept_by(saver, durability::async_steps));
    BOOST_TEST((result.status == weft::run_status::finished));
    BOOST_TEST(saver->moments ==
               (std::vector<std::string>{"node_complete s", "node_complete a", "node_complete b", "finish"}));
    BOOST_TEST((loop.now() - before >= 400ms));
    BOOST_TEST((loop.now() - before < 430ms));  // the nodes ran meanwhile
}

WEFT_ASYNC_TEST_CASE(P36_a_full_queue_of_saves_holds_the_run)
{
    auto saver = std::make_shared<slow_saver>(100ms);
    weft::save_options how{saver};
    weft::run_options options;
    how.mode = durability::async_steps;
    how.queue_max = 1;
    options.save_by(std::move(how));
    weft::graph_builder builder = graph_of("abcd");
    const weft::engine engine{add_edges(builder, "^a ab bc cd").build()};
    weft::run_request request{"t"};
    request.options(std::move(options)).on_event([saver](const weft::run_event& event) {
        if (event.what == weft::run_event::kind::node_started && event.node == "d")
            BOOST_TEST(saver->kept.size() == 2u);  // c is in the queue
    });
    const weft::run_result result = co_await engine.run(std::move(request));
    BOOST_TEST((result.status == weft::run_status::finished));
    BOOST_TEST(saver->kept.size() == 4u);
}

WEFT_ASYNC_TEST_CASE(on_exit_keeps_the_end_only_and_off_keeps_nothing)
{
    auto saver = std::make_shared<slow_saver>(1ms);
    const weft::engine engine{chain()};
    const weft::run_result result = co_await engine.run(kept_by(saver, durability::on_exit));
    BOOST_TEST(saver->moments == (std::vector<std::string>{"finish"}));
    const weft::run_result other = co_await engine.run(kept_by(saver, durability::off));
    BOOST_TEST((other.status == weft::run_status::finished));
    BOOST_TEST(saver->moments.size() == 1u);
}

WEFT_ASYNC_TEST_CASE(a_failed_save_fails_the_run_and_names_the_node)
{
    for (const durability mode : {durability::every_step, durability::async_steps}) {
        auto saver = std::make_shared<slow_saver>(1ms);
        saver->fails_at = 1;
        const weft::engine engine{chain()};
        const weft::run_result result = co_await engine.run(kept_by(saver, mode));
        BOOST_TEST((result.status == weft::run_status::failed));
        BOOST_TEST((result.why->code == weft::errc::store_unavailable));
        BOOST_TEST(result.why->node == "a");
        BOOST_TEST(saver->moments.empty());
    }
}

WEFT_ASYNC_TEST_CASE(on_a_best_effort_the_run_goes_on_and_tells_how_many_saves_failed)
{
    auto saver = std::make_shared<slow_saver>(1ms);
    saver->fails_at = 1;
    const weft::engine engine{chain()};
    const weft::run_result result = co_await engine.run(kept_by(saver, durability::every_step, true));
    BOOST_TEST((result.status == weft::run_status::finished));
    BOOST_TEST(result.saves_failed == 1u);
    BOOST_TEST(saver->moments == (std::vector<std::string>{"finish"}));
}

WEFT_ASYNC_TEST_CASE(HIV_28_a_resume_from_any_save_ends_as_the_run_that_was_not_disturbed)
{
    const weft::graph graph = with_subgraph();
    auto saver = std::make_shared<slow_saver>(3ms);
    const weft::engine engine{graph};
    const weft::run_result whole = co_await engine.run(kept_by(saver, durability::every_step));
    BOOST_TEST_REQUIRE((whole.status == weft::run_status::finished));
    BOOST_TEST(sorted_words(whole.state) == (std::vector<std::string>{"a", "b", "j", "z"}));
    bool had_inner = false;
    for (const auto& from : saver->kept) {
        had_inner |= from->extras && !from->extras->inner.empty();
        weft::run_request request{"t"};
        request.resume(from);
        const weft::run_result again = co_await engine.run(std::move(request));
        BOOST_TEST((again.status == weft::run_status::finished));
        BOOST_TEST(sorted_words(again.state) == sorted_words(whole.state));
        BOOST_TEST(again.steps == whole.steps);
    }
    BOOST_TEST(had_inner);
}

WEFT_ASYNC_TEST_CASE(a_node_within_a_graph_waits_until_its_step_is_kept_with_the_run_around_it)
{
    auto saver = std::make_shared<slow_saver>(50ms);
    weft::run_request request = kept_by(saver, durability::every_step);
    request.on_event([saver](const weft::run_event& event) {
        if (event.what == weft::run_event::kind::node_started && event.node == "j")
            BOOST_TEST(saver->kept.back()->extras->inner.front().second->steps == 3u);
    });
    const weft::engine engine{with_subgraph()};
    const weft::run_result result = co_await engine.run(std::move(request));
    BOOST_TEST((result.status == weft::run_status::finished));
}

WEFT_ASYNC_TEST_CASE(HIV_30_a_cancel_lets_a_save_finish_and_then_saves_where_the_run_stood)
{
    auto saver = std::make_shared<slow_saver>(50ms);
    std::stop_source stop;
    weft::run_request request = kept_by(saver, durability::every_step);
    request.stop(stop.get_token()).on_event([&stop](const weft::run_event& event) {
        if (event.what == weft::run_event::kind::node_succeeded && event.node == "a") stop.request_stop();
    });
    const weft::engine engine{diamond()};
    const weft::run_result result = co_await engine.run(std::move(request));
    BOOST_TEST((result.status == weft::run_status::cancelled));
    BOOST_TEST(!saver->was_stopped);
    BOOST_TEST(saver->moments.back() == "cancel");
    weft::run_request again{"t"};
    again.resume(saver->kept.back());
    const weft::run_result rest = co_await engine.run(std::move(again));
    BOOST_TEST((rest.status == weft::run_status::finished));
    BOOST_TEST(sorted_words(rest.state) == (std::vector<std::string>{"a", "b", "j"}));
}

WEFT_ASYNC_TEST_CASE(HIV_29_pauses_do_not_extend_the_time_of_a_run)
{
    weft::run_options options;
    options.elapsed_max(50ms);
    weft::graph_builder builder = graph_of("");
    weft::node_options pausing;
    pausing.pauses = weft::pause_point::after;
    builder.node("a", sleeps(20ms), pausing).edge(weft::start, "a").edge("a", "a");
    const weft::engine engine{builder.build()};
    std::shared_ptr<const weft::frontier> from;
    int pauses = 0;
    weft::run_result result;
    do {
        weft::run_request request{"t"};
        request.options(options);
        if (from) request.resume(from);
        result = co_await engine.run(std::move(request));
        from = result.paused_at;
        co_await weft::sleep_for(10s);  // a person takes their time
    } while (from && ++pauses < 10);
    BOOST_TEST((result.status == weft::run_status::failed));
    BOOST_TEST((result.why->code == weft::errc::run_timeout));
    BOOST_TEST(pauses == 2);
}

WEFT_ASYNC_TEST_CASE(values_that_join_a_resumed_run_are_kept_before_it_goes_on)
{
    auto saver = std::make_shared<slow_saver>(1ms);
    const weft::engine engine{chain()};
    static_cast<void>(co_await engine.run(kept_by(saver, durability::every_step)));
    const auto from = saver->kept.front();
    saver->moments.clear();
    weft::run_request request = kept_by(saver, durability::every_step);
    request.resume(from).input(other, 7);
    const weft::run_result result = co_await engine.run(std::move(request));
    BOOST_TEST(saver->moments == (std::vector<std::string>{"node_start", "finish"}));
    BOOST_TEST(result.state.get(other) == 7);
}

BOOST_AUTO_TEST_SUITE_END()
