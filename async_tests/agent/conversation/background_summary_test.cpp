#include <boost/test/unit_test.hpp>

#include "agent/agents.hpp"
#include "agent/conversation/background_summary.hpp"
#include "agent/talks.hpp"

#include <weft/testing/simulation.hpp>
#include <weft/testing/simulation/suspension_points.hpp>

using namespace weft_tests;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(background_summary_test)

namespace {

using outcome = weft::applied_summary::outcome;

weft::summary_plan small_plan()
{
    weft::summary_rules rules;
    rules.messages_max = 6;
    rules.messages_kept = 2;
    return weft::summary_plan{"", rules};
}

/** What was seen at each turn of a conversation that goes on while it is summarised. */
struct turns_seen {
    std::vector<outcome> outcomes;
    std::vector<bool> started;
    weft::conversation talk;
};

/** A turn each 400 ms, each with two messages; the model takes a second for a summary. */
weft::task<turns_seen> go_on(std::shared_ptr<weft::chat_model> model, int turns)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::background_summary summaries{context, std::move(model), small_plan()};
    talk_maker made{"s u a u a u"};
    turns_seen seen;
    for (int turn = 0; turn < turns; ++turn) {
        made.add("a u");
        seen.outcomes.push_back(summaries.take(made.talk, by("n")).what);
        seen.started.push_back(summaries.start(made.talk));
        co_await weft::sleep_for(400ms);
    }
    if (summaries.is_under_way()) {
        co_await summaries.wait();
        (void)summaries.take(made.talk, by("n"));
    }
    seen.talk = made.talk;
    co_return seen;
}

}  // namespace

BOOST_AUTO_TEST_CASE(SUL_6_it_is_written_beside_the_work_and_comes_when_it_is_there)
{
    const auto model = says({{"short"}});
    weft::testing::simulation sim{1};
    const turns_seen seen = sim.run(go_on(model, 4));
    const std::vector<bool> started{true, false, false, true};
    const std::vector<outcome> outcomes{outcome::stray, outcome::stray, outcome::stray, outcome::applied};
    BOOST_TEST(seen.started == started, boost::test_tools::per_element());
    BOOST_TEST((seen.outcomes == outcomes));
    BOOST_TEST(model->asked.size() == 2u);  // one at a time, and another when it is time again
    BOOST_TEST(fault_of_pairs(weft::view_of(seen.talk).messages) == "");
    BOOST_TEST(seen.talk.find_lane("")->messages < 8u);
    BOOST_TEST(seen.talk.size() == 6 + 8 + 2);
}

BOOST_AUTO_TEST_CASE(a_stop_or_an_end_half_way_leaves_nothing_behind)
{
    const auto make = [] { return go_on(says({{"short"}}), 4); };
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(make) > 5u);
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(make) > 5u);
}

BOOST_AUTO_TEST_SUITE_END()
