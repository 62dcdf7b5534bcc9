#include <boost/test/unit_test.hpp>

#include "agents.hpp"
#include "unsettled_journal.hpp"

#include <weft/agent/llm_node.hpp>
#include <weft/graph/graph_builder.hpp>

using namespace weft_tests;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(llm_once_test)

namespace {

constexpr weft::state_key<std::string> draft{"draft"};
constexpr weft::state_key<std::int64_t> score{"score"};

weft::graph asking(const std::shared_ptr<scripted_model>& model, bool once = true, std::string key = "draft")
{
    weft::llm_node_options options{.settings = {.prompt = "Say it."}, .writes = {std::move(key)}};
    options.once = once;
    weft::node_options tries_three;
    tries_three.retry = {.attempts_max = 3, .jitter = weft::jitter::none};
    return weft::graph_builder{"g"}
        .state(draft, score)
        .node("n", weft::llm_node{model, std::move(options)}, tries_three)
        .edge(weft::start, "n")
        .build();
}

weft::run_result run_with(const weft::graph& graph, const std::shared_ptr<weft::effect_journal>& journal)
{
    weft::testing::simulation sim{1};
    const weft::engine engine{graph};
    return sim.run(engine.run(weft::run_request{}.journal(journal)));
}

}  // namespace

BOOST_AUTO_TEST_CASE(P27_a_reply_that_was_paid_is_not_paid_again_after_a_crash)
{
    const auto journal = std::make_shared<unsettled_journal>();
    const auto model = says({{"first"}, {"second"}});
    const weft::graph graph = asking(model);
    BOOST_TEST(run_with(graph, journal).state.get(draft) == "first");
    BOOST_TEST(run_with(graph, journal).state.get(draft) == "first");  // begun again, as after a crash
    BOOST_REQUIRE(model->asked.size() == 1u);
    const weft::effect_record& kept = journal->kept.effects().at("n#1/reply#0");
    BOOST_TEST((kept.phase == weft::effect_phase::done));
    BOOST_TEST(model->asked[0].call_id == kept.key);
}

BOOST_AUTO_TEST_CASE(P27_a_reply_that_cannot_be_used_is_asked_for_again_with_the_same_key)
{
    const auto journal = std::make_shared<unsettled_journal>();
    const auto model = says({{"no number"}, {"{\"score\": 7}"}});
    const weft::run_result result = run_with(asking(model, true, "score"), journal);
    BOOST_TEST((result.status == weft::run_status::finished), result.message());
    BOOST_TEST(result.state.get(score) == 7);
    BOOST_REQUIRE(model->asked.size() == 2u);
    BOOST_TEST((journal->kept.effects().at("n#1/reply#0").phase == weft::effect_phase::failed));
    BOOST_TEST((journal->kept.effects().at("n#1/reply#0/try#1").phase == weft::effect_phase::done));
    BOOST_TEST(model->asked[0].call_id == model->asked[1].call_id);
}

BOOST_AUTO_TEST_CASE(P27_a_call_that_broke_off_goes_out_again_with_its_key)
{
    const auto journal = std::make_shared<unsettled_journal>();
    const auto model = says({{.text = "half", .fails = weft::errc::gap_timeout}, {"whole"}});
    const weft::run_result result = run_with(asking(model), journal);
    BOOST_TEST(result.state.get(draft) == "whole");
    BOOST_REQUIRE(model->asked.size() == 2u);
    BOOST_TEST(model->asked[0].call_id == model->asked[1].call_id);
    BOOST_TEST(journal->kept.effects().size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_node_may_ask_each_time)
{
    const auto journal = std::make_shared<unsettled_journal>();
    const auto model = says({{"first"}, {"second"}});
    const weft::graph graph = asking(model, false);
    (void)run_with(graph, journal);
    BOOST_TEST(run_with(graph, journal).state.get(draft) == "second");
    BOOST_TEST(journal->kept.effects().empty());
}

BOOST_AUTO_TEST_CASE(a_human_node_without_a_person_asks_whoever_answers_the_run)
{
    weft::node_registry registry;
    weft::add_agent_kinds(registry, {.asks_by_interrupt = true});
    const auto answered = [&](std::string_view members, std::vector<boost::json::value> answers) {
        const weft::graph graph = weft::load_graph(spec_text(one_node(members)), registry).what;
        weft::testing::simulation sim{1};
        const weft::engine engine{graph};
        weft::run_result result = sim.run(engine.run(weft::run_request{}));
        for (const boost::json::value& answer : answers) {
            BOOST_REQUIRE(result.questions.size() == 1u);
            weft::run_request again;
            again.resume(result.paused_at).answer(result.questions[0].address, answer);
            result = sim.run(engine.run(std::move(again)));
        }
        const boost::json::object all = result.state.to_json();
        return result.why ? std::string{result.message()} : boost::json::serialize(all.at("draft"));
    };
    BOOST_TEST(answered("'kind': 'human', 'writes': ['draft'], 'settings': {'question': 'What?'}", {"rain"}) ==
               "\"rain\"");
    BOOST_TEST(answered("'kind': 'human', 'writes': ['draft'], 'settings': {'question': 'Which?', 'options': "
                        "['Send', 'Again']}", {"Again"}) == "\"Again\"");
}

BOOST_AUTO_TEST_SUITE_END()
