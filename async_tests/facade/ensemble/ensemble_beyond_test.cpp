#include "ensembles.hpp"

#include <weft/async/sleep.hpp>
#include <weft/engine/run/route_decider.hpp>

#include <stdexcept>

using namespace weft_tests;
using namespace std::chrono_literals;
using builder = weft::ensemble_graph::builder;
using weft::ensemble_loop;
using weft::step_limit_action;

BOOST_AUTO_TEST_SUITE(ensemble_beyond_test)

namespace {

auto at_least(std::string state, std::size_t times)
{
    return [state, times](const weft::ensemble_routing_context& context) {
        return context.outputs_of(state).size() >= times;
    };
}

/** inner: x -> y -> END, with what y gives. */
weft::ensemble_graph inner_graph(weft::ensemble_task last)
{
    builder made;
    made.name("inner").state("x", counts()).state("y", std::move(last)).edge("x", "y").edge("y", "__END__").start("x");
    return made.build();
}

/** a -> in -> z -> END. */
builder around(auto&& inner)
{
    builder made;
    made.name("outer").state("a", says("1")).state("in", inner).state("z", counts());
    made.edge("a", "in").edge("in", "z").edge("z", "__END__").start("a");
    return made;
}

class fixed_decider final : public weft::route_decider {
public:
    explicit fixed_decider(std::string target) : target_{std::move(target)} {}
    weft::task<std::string> decide(const weft::route_question&) override
    {
        co_return R"({"target": ")" + target_ + R"(", "reasoning": "so"})";
    }

private:
    std::string target_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(AGE_11_a_graph_within_a_state)
{
    const auto echo = [](weft::ensemble_task_context& context) { return context.description() + "!"; };
    const auto graph = around(inner_graph({"on {topic}", echo})).build();
    std::vector<std::string> heard;
    const auto listen = [&](const weft::ensemble_state_completed& e) {
        heard.push_back(e.state_name + ":" + e.output.text);
    };
    auto request = weft::ensemble_request{}.inputs({{"topic", "rain"}}).on_state_completed(listen);
    const auto result = run_ensemble(graph, std::move(request));
    BOOST_TEST(path_of(result) == "a in z");
    BOOST_TEST(result.last_output_for_state("in")->text == "on rain!");
    BOOST_TEST(result.history[1].next_state == "z");
    const std::vector<std::string> expected{"a:1", "in:on rain!", "z:z 1"};
    BOOST_TEST(heard == expected, boost::test_tools::per_element());
    BOOST_TEST(has(error_of([&] { run_ensemble(graph); }), "[topic]"));
}

BOOST_AUTO_TEST_CASE(AGE_11_the_limit_of_a_graph_within_a_state_is_its_own)
{
    const auto endless = [](step_limit_action action) {
        builder made;
        made.name("inner").state("x", counts()).edge("x", "x").start("x").max_steps(3).on_max_steps(action);
        return made.build();
    };
    const auto kept = run_ensemble(around(endless(step_limit_action::return_last)).build());
    BOOST_TEST(path_of(kept) == "a in z");
    BOOST_TEST(kept.last_output_for_state("in")->text == "x 3");
    BOOST_TEST(kept.termination_reason == "terminal");
    const auto raising = around(endless(step_limit_action::raise)).build();
    BOOST_TEST(has(error_of([&] { run_ensemble(raising); }), "graph 'inner'"));
}

BOOST_AUTO_TEST_CASE(AGE_11_states_run_at_once_and_meet)
{
    const auto slow = [](weft::ensemble_task_context& context) -> weft::task<std::string> {
        co_await weft::sleep_for(50ms);
        co_return std::string{context.state()};
    };
    builder made;
    made.name("g").state("plan", says("p")).state("web", {"", slow}).state("papers", {"", slow});
    made.state("write", {"", [](weft::ensemble_task_context& c) { return std::to_string(c.history().size()); }});
    made.fan_out("plan", {"web", "papers"}).edge("web", "write").edge("papers", "write").edge("write", "__END__");
    const auto graph = made.start("plan").build();
    weft::testing::simulation sim{1};
    const auto result = sim.run(graph.run());
    BOOST_TEST((sim.elapsed() < 60ms));
    BOOST_TEST(result.steps_run() == 4u);
    BOOST_TEST(result.final_output().text == "3");
    BOOST_TEST(result.history[0].next_state == "web, papers");
    BOOST_TEST(result.history[1].next_state == "write");
    BOOST_TEST(result.history[2].next_state == "write");
    BOOST_TEST(result.history[3].next_state == "__END__");
}

BOOST_AUTO_TEST_CASE(AGE_11_a_model_routes)
{
    builder made;
    made.name("g").state("a", says("1")).state("b", says("2")).state("c", says("3"));
    made.edge_llm("a", {"b", "c"}, {.fallback = "__END__"}).edge("b", "__END__").edge("c", "__END__").start("a");
    const auto path = [&](std::string target) {
        auto options = weft::run_options{}.decider(std::make_shared<fixed_decider>(std::move(target)));
        return path_of(run_ensemble(made.build(), weft::ensemble_request{}.options(std::move(options))));
    };
    BOOST_TEST(path("c") == "a c");
    BOOST_TEST(path("b") == "a b");
    BOOST_TEST(path("nowhere") == "a");
}

BOOST_AUTO_TEST_CASE(AGE_11_a_run_goes_on_in_the_middle)
{
    builder made;
    made.name("g").state("write", counts()).state("critique", counts()).edge("critique", "write").start("write");
    made.edge("write", "__END__", at_least("write", 3)).edge("write", "critique");
    const auto graph = made.build();
    std::vector<std::shared_ptr<const weft::frontier>> kept;
    auto options = weft::run_options{}.on_save(
        [&](const weft::frontier& where) { kept.push_back(std::make_shared<const weft::frontier>(where)); });
    const auto whole = run_ensemble(graph, weft::ensemble_request{}.options(std::move(options)));
    BOOST_REQUIRE(kept.size() >= 4u);
    for (const auto& from : kept) {
        const auto result = run_ensemble(graph, weft::ensemble_request{}.resume(from));
        BOOST_TEST(path_of(result) == "write critique write critique write");
        BOOST_TEST(result.final_output().text == "write 3");
        BOOST_TEST(boost::json::serialize(weft::to_json(result.trace())) ==
                   boost::json::serialize(weft::to_json(whole.trace())));
    }
}

namespace {

ensemble_loop::builder drafts()
{
    ensemble_loop::builder made;
    made.name("drafts").task("write", counts()).task("review", counts());
    return made;
}

weft::loop_result run_loop(const ensemble_loop& loop)
{
    weft::testing::simulation sim{1};
    return sim.run(loop.run());
}

std::string texts_of(const std::vector<weft::ensemble_visit>& visits)
{
    std::string line;
    for (const auto& visit : visits) line.append(line.empty() ? "" : ", ").append(visit.output.text);
    return line;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_loop_ends_when_its_condition_holds)
{
    const auto result = run_loop(drafts().until(at_least("review", 2)).build());
    BOOST_TEST(result.iterations_run == 2u);
    BOOST_TEST(result.termination_reason == "predicate");
    BOOST_TEST(texts_of(result.outputs) == "write 2, review 2");
    BOOST_TEST(texts_of(result.history) == "write 1, review 1, write 2, review 2");
}

BOOST_AUTO_TEST_CASE(a_loop_is_bounded)
{
    const auto never = run_loop(drafts().build());
    BOOST_TEST(never.iterations_run == 5u);
    BOOST_TEST(never.termination_reason == "maxIterations");
    BOOST_TEST(!never.was_terminated_by_max_iterations);
    ensemble_loop::builder two = drafts().max_iterations(2).on_max_iterations(step_limit_action::return_with_flag);
    const auto flagged = run_loop(two.build());
    BOOST_TEST(flagged.was_terminated_by_max_iterations);
    const auto last = run_loop(drafts().max_iterations(2).until(at_least("review", 2)).build());
    BOOST_TEST(last.termination_reason == "predicate");
    BOOST_CHECK_THROW(run_loop(drafts().on_max_iterations(step_limit_action::raise).build()), weft::error);
}

BOOST_AUTO_TEST_CASE(a_loop_keeps_the_outputs_of_its_mode)
{
    const auto kept = [](weft::loop_output mode) {
        return texts_of(run_loop(drafts().max_iterations(2).output_mode(mode).build()).outputs);
    };
    BOOST_TEST(kept(weft::loop_output::last_iteration) == "write 2, review 2");
    BOOST_TEST(kept(weft::loop_output::final_task_only) == "review 2");
    BOOST_TEST(kept(weft::loop_output::all_iterations) == "write 1, review 1, write 2, review 2");
}

BOOST_AUTO_TEST_CASE(a_loop_remembers_what_its_memory_mode_says)
{
    const auto seen = [](weft::loop_memory mode) {
        std::string sizes;
        const auto look = [&sizes](weft::ensemble_task_context& context) {
            sizes += std::to_string(context.history().size());
            return "x";
        };
        ensemble_loop::builder made;
        made.name("l").task("a", {"", look}).task("b", {"", look}).max_iterations(4).memory_mode(mode);
        run_loop(made.build());
        return sizes;
    };
    BOOST_TEST(seen(weft::loop_memory::accumulate()) == "01234567");
    BOOST_TEST(seen(weft::loop_memory::fresh_per_iteration()) == "01010101");
    BOOST_TEST(seen(weft::loop_memory::window(2)) == "01232323");
}

BOOST_AUTO_TEST_CASE(a_loop_within_a_graph)
{
    const auto result = run_ensemble(around(drafts().max_iterations(3).build()).build());
    BOOST_TEST(path_of(result) == "a in z");
    BOOST_TEST(result.last_output_for_state("in")->text == "write 3\n\nreview 3");
}

BOOST_AUTO_TEST_CASE(mistakes_of_loops_are_told)
{
    ensemble_loop::builder empty;
    const auto text = error_of([&] { static_cast<void>(empty.max_iterations(0).build()); });
    for (const char* part : {"Loop name must be non-blank", "at least one task", "maxIterations must be >= 1, got: 0"})
        BOOST_TEST(has(text, part), part);
    ensemble_loop::builder twice = drafts();
    twice.task("write", counts());
    BOOST_TEST(has(error_of([&] { static_cast<void>(twice.build()); }), "Duplicate state name"));
}

BOOST_AUTO_TEST_SUITE_END()
