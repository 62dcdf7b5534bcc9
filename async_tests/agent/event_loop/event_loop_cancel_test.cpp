#include <boost/test/unit_test.hpp>

#include "agent/loops.hpp"

#include <weft/engine/run/checkpoint_saver.hpp>
#include <weft/engine/run_handle.hpp>
#include <weft/engine/scheduler/frontier.hpp>

using namespace weft_tests;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(event_loop_cancel_test)

namespace {

weft::task<weft::run_result> cancel_after(weft::graph graph, std::chrono::nanoseconds span, weft::run_request request)
{
    const weft::engine engine{std::move(graph)};
    weft::run_handle run = co_await engine.start(std::move(request));
    co_await weft::sleep_for(span);
    run.cancel();
    co_return co_await run.result();
}

weft::event_loop_options two_outputs()
{
    weft::event_loop_options options = answering();
    options.outputs = {weft::output_of(loop_score), weft::output_of(loop_answer)};
    options.tools = looking();
    return options;
}

/** Keeps what it gets last. */
class last_saver final : public weft::checkpoint_saver {
public:
    [[nodiscard]] weft::task<void> save(weft::frontier where, weft::checkpoint_kind, std::string) override
    {
        kept = std::make_shared<const weft::frontier>(std::move(where));
        co_return;
    }
    std::shared_ptr<const weft::frontier> kept;
};

/** A run that is cancelled after two seconds, and what it kept last. */
struct cancelled_run {
    explicit cancelled_run(std::vector<loop_script> turns)
    {
        const weft::graph graph = graph_with(model_of(std::move(turns)), two_outputs());
        weft::run_options limits;
        const auto saver = std::make_shared<last_saver>();
        limits.save_by(weft::save_options{saver});
        weft::testing::simulation sim{1};
        result = sim.run(cancel_after(graph, 2s, weft::run_request{"t"}.options(std::move(limits))));
        kept = saver->kept;
    }
    weft::run_result result;
    std::shared_ptr<const weft::frontier> kept;
};

}  // namespace

BOOST_AUTO_TEST_CASE(HIV_50_outputs_that_a_loop_has_set_survive_a_cancel)
{
    loop_script slow;
    slow.wait(1h).text("Never.");
    const cancelled_run run{{sets("score", 7), slow}};
    BOOST_TEST((run.result.status == weft::run_status::cancelled));
    BOOST_REQUIRE(run.result.state.find(loop_score));
    BOOST_TEST(run.result.state.get(loop_score) == 7);
    BOOST_TEST(!run.result.state.find(loop_answer));
    BOOST_REQUIRE(run.kept);
    const std::int64_t* const kept = run.kept->root->root().find(loop_score);
    BOOST_REQUIRE(kept);
    BOOST_TEST(*kept == 7);
}

BOOST_AUTO_TEST_CASE(HIV_50_so_do_those_of_a_turn_whose_tools_are_at_work)
{
    loop_script both = sets("score", 7);
    both.call("look", look_at("sky", 3'600'000));
    const cancelled_run run{{both}};
    BOOST_TEST((run.result.status == weft::run_status::cancelled));
    BOOST_REQUIRE(run.result.state.find(loop_score));
    BOOST_TEST(run.result.state.get(loop_score) == 7);
}

BOOST_AUTO_TEST_SUITE_END()
