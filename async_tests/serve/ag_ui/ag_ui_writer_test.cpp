#include "agent_stream.hpp"
#include "serve/ag_ui/ag_ui_writer.hpp"
#include "serve/wire/stream_frames.hpp"

#include <weft/chat/message.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/reducer.hpp>
#include <weft/graph/state/written_values.hpp>

#include <boost/test/unit_test.hpp>

#include <memory>
#include <set>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(ag_ui_writer_test)

using namespace weft::serve_detail;
using boost::json::object;
using event_kind = weft::run_event::kind;

inline constexpr weft::state_key<std::vector<weft::message>, weft::append> messages{"messages"};

const weft::graph& chat()
{
    static const weft::graph of = weft::graph_builder{"chat"}
                                      .state(messages)
                                      .node("talk", [](weft::node_context&) {})
                                      .edge(weft::start, "talk")
                                      .build();
    return of;
}

weft::run_event event_of(event_kind what, std::uint64_t id)
{
    weft::run_event event;
    event.what = what;
    event.id = id;
    event.node = "talk";
    event.visit = 1;
    return event;
}

weft::state values_with(std::vector<weft::message> all)
{
    weft::state values{chat().layout()};
    values.writable(chat().layout()->find("messages")) = weft::make_box<std::vector<weft::message>>(std::move(all));
    return values;
}

/** A turn of a chat, from the event of this id on. */
std::vector<std::shared_ptr<const feed_event>> turn_of_chat(std::uint64_t first = 1)
{
    std::vector<weft::run_event> events;
    for (const event_kind what : {event_kind::run_started, event_kind::node_started, event_kind::output,
                                  event_kind::output, event_kind::node_succeeded, event_kind::run_finished})
        events.push_back(event_of(what, first++));
    events[0].written = std::make_shared<const weft::written_values>(
        weft::write_set{}, values_with({weft::message::user("hi")}), false);
    events[2].label = events[3].label = "output";
    events[2].text = "hello ";
    events[3].text = "you";
    std::vector<std::shared_ptr<const feed_event>> shared;
    for (weft::run_event& one : events) shared.push_back(std::make_shared<const feed_event>(std::move(one)));
    return shared;
}

std::unique_ptr<ag_ui_writer> writer_for(std::string run, bool speaks_v1 = true)
{
    agent_run_names names;
    names.thread = "t";
    names.run = std::move(run);
    names.own_run = "w";
    names.speaks_v1 = speaks_v1;
    return std::make_unique<ag_ui_writer>(std::move(names), std::make_shared<const hosted_graph>(chat()));
}

std::vector<object> told(ag_ui_writer& to, const std::vector<std::shared_ptr<const feed_event>>& events,
                         const run_ending& ending)
{
    std::string out;
    to.begin(out);
    for (const auto& event : events)
        for (const auto& frame : to.frames(*event)) out.append(*frame);
    to.end(out, ending);
    std::vector<object> all = agent_events_in(out);
    BOOST_TEST(disorder_in(all) == "", out);
    return all;
}

BOOST_AUTO_TEST_CASE(an_event_is_encoded_once_for_all_clients_of_a_protocol)
{
    constexpr std::size_t clients = 1'000;
    stream_view view;
    view.modes.add(stream_mode::messages_tuple);
    view.modes.add(stream_mode::values);
    std::vector<std::unique_ptr<ag_ui_writer>> writers;
    for (std::size_t i = 0; i < clients / 2; ++i) writers.push_back(writer_for("r" + std::to_string(i)));
    std::size_t frames = 0;
    for (const auto& event : turn_of_chat()) {
        std::set<const std::string*> texts;
        std::set<const std::string*> texts_of_langgraph;
        for (const auto& writer : writers) {
            for (const auto& frame : writer->frames(*event)) texts.insert(frame.get());
            for (const auto& frame : frames_of(*event, view)) texts_of_langgraph.insert(frame.get());
        }
        BOOST_TEST(texts.size() <= 2U);  // of the first event: what is open is closed, and the state
        BOOST_TEST(texts_of_langgraph.size() <= 2U);
        frames += texts.size();
    }
    BOOST_TEST(frames == 5U);
}

BOOST_AUTO_TEST_CASE(clients_that_follow_from_where_a_run_goes_on_have_forms_of_their_own)
{
    run_ending ending;
    ending.values = values_with({weft::message::user("hi")});
    const auto first = turn_of_chat();
    auto all = first;
    const auto second = turn_of_chat(7);
    all.insert(all.end(), second.begin(), second.end());
    // The one that saw the first part sees a delta, where the other one sees the state.
    const std::vector<object> of_all = told(*writer_for("a"), all, ending);
    const std::vector<object> of_rest = told(*writer_for("b"), second, ending);
    BOOST_TEST(kinds_of(of_rest).starts_with("RUN_STARTED STATE_SNAPSHOT MESSAGES_SNAPSHOT STEP_STARTED"));
    std::size_t snapshots = 0;
    for (const object& event : of_all) snapshots += event.at("type") == "STATE_SNAPSHOT" ? 1 : 0;
    BOOST_TEST(snapshots == 1U);
}

BOOST_AUTO_TEST_CASE(a_client_that_lost_events_gets_the_next_state_as_a_whole)
{
    const auto writer = writer_for("r");
    std::string out;
    writer->begin(out);
    const auto events = turn_of_chat();
    for (const auto& event : {events[0], events[1], events[2]})
        for (const auto& frame : writer->frames(*event)) out.append(*frame);
    writer->gap(out);
    weft::run_event late = event_of(event_kind::state_written, 90);
    late.written = std::make_shared<const weft::written_values>(
        weft::write_set{}, values_with({weft::message::user("hi"), weft::message::assistant("hello")}), false);
    const feed_event event{late};
    BOOST_TEST(writer->is_long(event));
    for (const auto& frame : writer->frames(event)) out.append(*frame);
    run_ending ending;
    writer->end(out, ending);
    const std::vector<object> all = agent_events_in(out);
    BOOST_TEST(disorder_in(all) == "", out);
    agent_client_view view;
    view.take(all);
    BOOST_TEST(view.messages.size() == 2U);
    BOOST_TEST(view.messages[1].at("content") == "hello");
}

BOOST_AUTO_TEST_CASE(the_end_is_told_in_the_words_that_a_client_knows)
{
    run_ending ending;
    ending.values = values_with({});
    ending.phase = weft::run_phase::cancelled;
    BOOST_TEST(told(*writer_for("r"), turn_of_chat(), ending).back().at("outcome").at("type") == "cancelled");
    BOOST_TEST(told(*writer_for("r", false), turn_of_chat(), ending).back().at("code") == "cancelled");
    ending.phase = weft::run_phase::failed;
    ending.error = "node_failed";
    ending.message = "why";
    BOOST_TEST(told(*writer_for("r"), turn_of_chat(), ending).back().at("code") == "node_failed");
    // Of a run of an earlier life whose events are gone: the state is all there is.
    run_ending left;
    left.values = values_with({weft::message::user("hi")});
    BOOST_TEST(kinds_of(told(*writer_for("r"), {}, left)) ==
               "RUN_STARTED STATE_SNAPSHOT MESSAGES_SNAPSHOT RUN_FINISHED");
}

BOOST_AUTO_TEST_SUITE_END()
