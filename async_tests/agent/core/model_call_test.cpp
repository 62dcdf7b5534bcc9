#include <boost/test/unit_test.hpp>

#include "agent/agents.hpp"
#include "agent/loops.hpp"
#include "agent/turns.hpp"
#include "agent/unsettled_journal.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/agent/llm_node.hpp>
#include <weft/base/json.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(model_call_test)

namespace {

constexpr weft::state_key<std::string> draft{"draft"};

/** The journal of a run that broke off behind a call which an earlier version of the agents had recorded. */
std::shared_ptr<unsettled_journal> journal_with(std::string address, const boost::json::object& body)
{
    auto journal = std::make_shared<unsettled_journal>();
    weft::testing::simulation sim{1};
    sim.run(journal->record({std::move(address), weft::effect_phase::done, "key", boost::json::serialize(body)}));
    return journal;
}

/** What all of them recorded of a reply. */
boost::json::object recorded(const weft::message& said, weft::stop_reason stop)
{
    weft::usage used;
    used.input = weft::tokens{5};
    const boost::json::string_view why = weft::name_of(stop);
    return {{"message", weft::to_json(said)}, {"usage", weft::to_json(used)}, {"stop", why}};
}

weft::graph one_llm(const std::shared_ptr<weft::chat_model>& model)
{
    weft::llm_node_options options{.settings = {.prompt = "Say it."}, .writes = {"draft"}};
    return weft::graph_builder{"g"}
        .state(draft)
        .node("n", weft::llm_node{model, std::move(options)})
        .edge(weft::start, "n")
        .build();
}

/** Takes its reply back before it has said a word of it, and once more behind some. */
class wavering_model final : public weft::chat_model {
public:
    explicit wavering_model(bool says_first) : says_first_{says_first} {}
    [[nodiscard]] std::string_view label() const noexcept override { return "a wavering model"; }

private:
    [[nodiscard]] weft::task<weft::chat_reply> do_reply(weft::chat_request, weft::chat_sink& sink) override
    {
        return say(says_first_, sink);
    }
    static weft::task<weft::chat_reply> say(bool says_first, weft::chat_sink& sink)
    {
        if (says_first) sink.on_text("no");
        sink.on_reasoning("Hm.");
        sink.on_retracted();
        sink.on_text("yes");
        weft::chat_reply reply;
        reply.message = weft::message::assistant("yes");
        reply.stop = weft::stop_reason::stop;
        co_return reply;
    }

    bool says_first_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_reply_that_an_earlier_llm_node_recorded_is_not_paid_again)
{
    boost::json::object body = recorded(weft::message::assistant("paid"), weft::stop_reason::stop);
    body["id"] = "r-1";
    body["model"] = "large";
    const auto model = says({{"never asked"}});
    weft::testing::simulation sim{1};
    const weft::graph graph = one_llm(model);
    const weft::engine engine{graph};
    const weft::run_result result =
        sim.run(engine.run(weft::run_request{}.journal(journal_with("n#1/reply#0", body))));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(result.state.get(draft) == "paid");
    BOOST_TEST(model->asked.empty());
}

BOOST_AUTO_TEST_CASE(a_reply_that_an_earlier_event_loop_recorded_is_not_paid_again)
{
    weft::message said = weft::message::assistant("");
    said.tool_calls.push_back({"c-1", "set_output", R"({"key":"answer","value":"paid"})"});
    const boost::json::object body = recorded(said, weft::stop_reason::tool_calls);  // neither id nor model
    const auto model = model_of({});
    const seen_loop seen = run_loop(graph_with(model, answering()),
                                    weft::run_request{"t"}.journal(journal_with("write#1/turn#1/reply#0", body)));
    BOOST_TEST(seen.result.message() == "finished");
    BOOST_TEST(seen.answer() == "paid");
    BOOST_TEST(model->requests().empty());
    BOOST_TEST(seen.count(weft::agent_event::usage) == 0u);  // told when it was paid
}

BOOST_AUTO_TEST_CASE(a_turn_that_an_earlier_turn_agent_recorded_is_not_paid_again)
{
    boost::json::object reply = recorded(weft::message::assistant("Paid."), weft::stop_reason::stop);
    reply["model"] = "large";
    const boost::json::object body{{"reply", reply},  {"cost", 7}, {"outcome", "none"}, {"trouble", "none"},
                                   {"why", ""},       {"cause", nullptr}, {"tier", 0}};
    const turn_model model = turns_of({});
    weft::testing::simulation sim{1};
    const weft::turn_agent agent{turn_options({model})};
    const turn_run seen =
        run_turns(sim, agent, agent.request("Go.", "t").journal(journal_with("llmCall#1/reply#0", body)));
    BOOST_TEST(seen.outcome() == "answered", seen.result.why);
    BOOST_TEST(seen.result.answer == "Paid.");
    BOOST_TEST(seen.result.spent.used.count() == 5);
    BOOST_TEST(model->requests().empty());
}

BOOST_AUTO_TEST_CASE(only_text_that_was_emitted_is_retracted)
{
    const auto emitted = [](bool says_first) {
        return run_graph(one_llm(std::make_shared<wavering_model>(says_first)), {}, {}).emitted;
    };
    const std::vector<std::string> silent{"output: yes"};
    BOOST_TEST(emitted(false) == silent, boost::test_tools::per_element());
    const std::vector<std::string> spoken{"output: no", "retract: ", "output: yes"};
    BOOST_TEST(emitted(true) == spoken, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_call_of_a_judge_that_fails_counts_as_used)
{
    weft::event_loop_options options = answering();
    options.settings.criteria = "It is good.";
    loop_script judging;
    judging.text("ACTION").used(weft::tokens{11}, weft::tokens{2}).fails(weft::errc::model_rejected);
    const seen_loop seen = run_loop(model_of({sets("answer", "rain"), judging}), options);
    BOOST_TEST(seen.answer() == "rain");
    BOOST_TEST(seen.says(weft::agent_event::warning, "the judge failed"));
    BOOST_TEST(seen.says(weft::agent_event::usage, "\"input\":11"));
}

BOOST_AUTO_TEST_SUITE_END()
