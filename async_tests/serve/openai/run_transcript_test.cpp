#include <boost/test/unit_test.hpp>

#include "openai_graphs.hpp"
#include "serve/openai/completion_writer.hpp"
#include "serve/openai/openai_ids.hpp"
#include "serve/openai/response_writer.hpp"
#include "serve/openai/run_transcript.hpp"

#include <weft/base/json.hpp>
#include <weft/base/json/append_json_text.hpp>
#include <weft/graph/node/subgraph.hpp>

#include <memory>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(run_transcript_test)

namespace {

using namespace weft::serve_detail;
using weft::run_event;
using kind = run_event::kind;

/** Makes events of a run, numbered as they are. */
class told_run {
public:
    run_event next(kind what, std::string_view node = {}, std::string label = {}, std::string text = {})
    {
        run_event event;
        event.id = event.sequence = ++last_;
        event.what = what;
        event.node = node;
        event.visit = 1;
        event.label = std::move(label);
        event.text = std::move(text);
        return event;
    }
    run_event says(std::string_view node, std::string text)
    {
        return next(kind::output, node, "output", std::move(text));
    }

private:
    std::uint64_t last_ = 0;
};

std::shared_ptr<const weft::serve_detail::hosted_graph> served(weft::graph graph)
{
    return std::make_shared<const weft::serve_detail::hosted_graph>(std::move(graph));
}

inline constexpr weft::state_key<weft::list<weft::message>, weft::append> said_key{"said"};

/** Two nodes that talk, of which one cannot write what the graph answers with. */
weft::graph two_voices()
{
    using weft::keys;
    const auto nothing = [](weft::node_context&) {};
    return weft::graph_builder{"two_voices"}
        .state(openai_graphs::messages, openai_graphs::input)
        .node("think", nothing, {.writes = keys(openai_graphs::input)})
        .node("talk", nothing, {.writes = keys(openai_graphs::messages)})
        .edge(weft::start, "think")
        .edge("think", "talk")
        .build();
}

/** A graph within a node that answers: one of its nodes judges, and cannot write what is shared. */
weft::graph judged_voices()
{
    return weft::graph_builder{"judged"}
        .state(openai_graphs::messages, openai_graphs::input)
        .node("work", weft::subgraph{.graph = two_voices()})
        .edge(weft::start, "work")
        .build();
}

/** The same with keys of its own. */
weft::graph mapped_voices()
{
    weft::subgraph inner{.graph = two_voices()};
    inner.outputs.push_back({"said", "messages"});
    return weft::graph_builder{"mapped"}
        .state(said_key)
        .node("work", std::move(inner))
        .edge(weft::start, "work")
        .build();
}

std::string shown(const said_steps& steps)
{
    std::string result;
    for (const said_step& step : steps) {
        constexpr std::string_view names[]{"begin", "piece", "end", "drop"};
        result.append(names[static_cast<std::size_t>(step.what)]).append(std::to_string(step.item)).append(" ");
    }
    return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(only_nodes_that_may_answer_are_heard)
{
    told_run run;
    run_transcript said{served(two_voices())};
    BOOST_TEST(shown(said.take(run.says("think", "hm"))) == "");
    BOOST_TEST(shown(said.take(run.says("talk", "a"))) == "begin0 piece0 ");
    BOOST_TEST(shown(said.take(run.says("talk", "b"))) == "piece0 ");
    BOOST_TEST(shown(said.take(run.next(kind::node_succeeded, "talk"))) == "end0 ");
    BOOST_TEST(said.text() == "ab");
    run_transcript of_unknown_graph{nullptr};
    BOOST_TEST(shown(of_unknown_graph.take(run.says("think", "hm"))) == "begin0 piece0 ");
}

BOOST_AUTO_TEST_CASE(a_judge_within_a_node_that_answers_is_not_heard)
{
    for (weft::graph& graph : std::vector<weft::graph>{judged_voices(), mapped_voices()}) {
        told_run run;
        run_transcript said{served(std::move(graph))};
        run_event judging = run.says("think", "hm");
        run_event answering = run.says("talk", "a");
        judging.address = answering.address = "work";
        BOOST_TEST(shown(said.take(judging)) == "");
        BOOST_TEST(shown(said.take(answering)) == "begin0 piece0 ");
    }
}

BOOST_AUTO_TEST_CASE(loops_that_face_no_client_are_not_heard)
{
    told_run run;
    run_transcript said{nullptr};
    BOOST_TEST(shown(said.take(run.next(kind::output, "a", "internal_output", "x"))) == "");
    BOOST_TEST(shown(said.take(run.next(kind::output, "a", "progress", "x"))) == "");
    BOOST_TEST(shown(said.take(run.next(kind::output, "a", "delta", "x"))) == "begin0 piece0 ");
}

BOOST_AUTO_TEST_CASE(what_is_said_again_counts_once)
{
    told_run run;
    run_transcript said{nullptr};
    (void)said.take(run.says("talk", "wrong"));
    BOOST_TEST(shown(said.take(run.next(kind::output, "talk", "retract"))) == "drop0 ");
    BOOST_TEST(shown(said.take(run.says("talk", "right"))) == "begin1 piece1 ");
    BOOST_TEST(shown(said.take(run.next(kind::node_retried, "talk"))) == "drop1 ");
    (void)said.take(run.says("talk", "last"));
    // A process that was lost: what was under way comes anew.
    BOOST_TEST(shown(said.take(run.next(kind::run_started))) == "drop2 ");
    (void)said.take(run.says("talk", "good"));
    BOOST_TEST(said.text() == "good");
    BOOST_TEST(said.items()[3].id != said.items()[2].id);
}

BOOST_AUTO_TEST_CASE(branches_side_by_side_are_messages_of_their_own)
{
    told_run run;
    run_transcript said{nullptr};
    (void)said.take(run.says("left", "l1"));
    BOOST_TEST(shown(said.take(run.says("right", "r1"))) == "begin1 piece1 ");
    BOOST_TEST(shown(said.take(run.says("left", "l2"))) == "piece0 ");
    BOOST_TEST(said.text() == "l1l2\n\nr1");
}

BOOST_AUTO_TEST_CASE(a_response_ends_where_its_run_waits)
{
    told_run run;
    const std::uint64_t before = run.says("talk", "earlier").id;
    run_transcript said{nullptr, before};
    BOOST_TEST(shown(said.take(run.says("talk", "now"))) == "begin0 piece0 ");
    (void)said.take(run.next(kind::question_asked, {}, "ask#0", "Which?"));
    (void)said.take(run.next(kind::run_paused));
    BOOST_TEST(!said.is_past());
    BOOST_TEST(shown(said.take(run.next(kind::run_started))) == "");
    BOOST_TEST(said.is_past());
    weft::serve_detail::run_ending waiting;
    waiting.phase = weft::run_phase::waiting;
    (void)said.finish(waiting);
    BOOST_TEST_REQUIRE(said.calls().size() == 1U);
    BOOST_TEST(said.calls()[0].arguments == R"({"question":"Which?"})");
}

BOOST_AUTO_TEST_CASE(usage_adds_up_and_other_texts_of_that_name_do_no_harm)
{
    told_run run;
    run_transcript said{nullptr};
    (void)said.take(run.next(kind::output, "a", "usage", R"({"input":3,"output":1})"));
    (void)said.take(run.next(kind::output, "a", "usage", "much"));
    (void)said.take(run.next(kind::output, "b", "usage", R"({"input":4,"output":2})"));
    BOOST_TEST(said.used().input.count() == 7);
    BOOST_TEST(said.used().output.count() == 3);
}

BOOST_AUTO_TEST_CASE(an_event_is_written_once_for_all_that_follow_a_response)
{
    told_run run;
    std::vector<std::shared_ptr<const feed_event>> events;
    for (const char* const word : {"a", "b\n\"", "c"})
        events.push_back(std::make_shared<const feed_event>(run.says("talk", word)));
    const auto frames_for = [&](std::optional<std::uint64_t> seen) {
        response_writer writer{response_frame{}, run_transcript{nullptr}, seen, [] { return std::int64_t{1}; }};
        std::string first;
        writer.begin(first);
        std::vector<const std::string*> frames;
        for (const auto& event : events)
            for (const auto& frame : writer.frames(*event)) frames.push_back(frame.get());
        return frames;
    };
    const auto one = frames_for(std::nullopt);
    const auto other = frames_for(std::nullopt);
    BOOST_TEST_REQUIRE(one.size() == 3U);
    for (std::size_t i = 0; i < one.size(); ++i) BOOST_TEST(one[i] == other[i]);
    BOOST_TEST(one[1]->find(R"("delta":"b\n\"")") != std::string::npos, *one[1]);
    // Events 0 and 1 are of the beginning, 2 to 4 of the first piece: this client has a part of them.
    response_writer late{response_frame{}, run_transcript{nullptr}, 3, [] { return std::int64_t{1}; }};
    std::string nothing;
    late.begin(nothing);
    BOOST_TEST(nothing.empty());
    const event_frames part = late.frames(*events[0]);
    BOOST_TEST_REQUIRE(part.size() == 1U);
    BOOST_TEST(part[0]->starts_with("event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\","
                                    "\"sequence_number\":4,"), *part[0]);
    BOOST_TEST(late.frames(*events[1])[0].get() == one[1]);
}

BOOST_AUTO_TEST_CASE(a_run_that_a_limit_ends_is_not_complete)
{
    told_run run;
    run_transcript said{nullptr};
    (void)said.take(run.says("talk", "so far"));
    (void)said.take(run.next(kind::run_finished, {}, std::string{run_event::cut_short}, "finished"));
    const weft::serve_detail::run_ending ending;
    (void)said.finish(ending);
    const response_standing standing = standing_of(ending, said, 1);
    BOOST_TEST(standing.status == "incomplete");
    BOOST_TEST(standing.incomplete.at("reason") == "max_output_tokens");
    const boost::json::value whole = completion_view(completion_frame{}, said);
    BOOST_TEST(whole.at("choices").at(0).at("finish_reason") == "length");
}

BOOST_AUTO_TEST_CASE(ids_are_read_as_they_are_written)
{
    const std::optional<weft::run_id> run = weft::run_id::parse("01a21f8c-bda2-7000-8738-976982fd3d39");
    BOOST_TEST_REQUIRE(run.has_value());
    const response_id first{*run, 0};
    BOOST_TEST(first.text() == "resp_01a21f8cbda270008738976982fd3d39");
    const response_id next{*run, 57};
    BOOST_TEST((response_id::parse(first.text()) == first));
    BOOST_TEST((response_id::parse(next.text()) == next));
    for (const char* const none : {"", "resp_", "resp_1", "01a21f8cbda270008738976982fd3d39",
                                   "resp_01a21f8cbda270008738976982fd3d39_", "resp_01a21f8cbda270008738976982fd3d39_0",
                                   "resp_01a21f8cbda270008738976982fd3d39_x", "resp_01a21f8cbda270008738976982fd3d3g"})
        BOOST_TEST(!response_id::parse(none).has_value(), none);
    BOOST_TEST(thread_of_conversation(conversation_id_of("t 1")) == "t 1");
    BOOST_TEST(thread_of_conversation("t1") == "t1");
    BOOST_TEST(question_call_id(*run, "ask#0") != question_call_id(weft::run_id{}, "ask#0"));
    std::string json;
    weft::append_json_text(json, std::string_view{"a\"\\\n\t\x01\0é", 9});
    BOOST_TEST((weft::parse_json(json) == boost::json::value(std::string_view{"a\"\\\n\t\x01\0é", 9})));
}

BOOST_AUTO_TEST_SUITE_END()
