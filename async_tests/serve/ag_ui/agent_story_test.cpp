#include "agent_stream.hpp"
#include "serve/ag_ui/agent_frames.hpp"
#include "serve/ag_ui/agent_story.hpp"
#include "serve/state/message_ids.hpp"

#include <weft/chat/message.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/reducer.hpp>
#include <weft/graph/state/written_values.hpp>

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <memory>
#include <random>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(agent_story_test)

using namespace weft::serve_detail;
using boost::json::object;
using boost::json::value;
using event_kind = weft::run_event::kind;

inline constexpr weft::state_key<std::vector<weft::message>, weft::append> messages{"messages"};
inline constexpr weft::state_key<int> count{"count"};

const weft::graph& keys()
{
    static const weft::graph of = weft::graph_builder{"keys"}
                                      .state(messages, count)
                                      .node("n", [](weft::node_context&) {})
                                      .edge(weft::start, "n")
                                      .build();
    return of;
}

/** Makes events of a run by hand, and tells them. */
class teller {
public:
    teller() : values_{keys().layout()}, story_{slot()} {}

    weft::run_event event(event_kind what, std::string_view node = "n", std::uint32_t visit = 1,
                          std::uint32_t branch = 0)
    {
        weft::run_event made;
        made.what = what;
        made.node = node;
        made.visit = visit;
        made.branch = branch;
        made.id = ++id_;
        return made;
    }
    void tell(const weft::run_event& event)
    {
        std::vector<story_item> items;
        story_.take(event, items);
        std::string text;
        append_agent_frames(text, items, story_, event, apart());
        if (!items.empty() && items.back().what == story_item::kind::state)
            text.append(agent_snapshots_now(event.written->state(), apart()));
        add(text);
    }
    void emit(std::string label, std::string text, std::string_view node = "n", std::uint32_t visit = 1)
    {
        weft::run_event made = event(event_kind::output, node, visit);
        made.label = std::move(label);
        made.text = std::move(text);
        tell(made);
    }
    /** The state becomes known, with these messages more. */
    void write(const std::vector<weft::message>& more, event_kind what = event_kind::state_written)
    {
        std::vector<weft::message> all;
        if (values_.at(slot())) all = weft::unboxed<std::vector<weft::message>>(*values_.at(slot()));
        all.insert(all.end(), more.begin(), more.end());
        values_.writable(slot()) = weft::make_box<std::vector<weft::message>>(std::move(all));
        publish(what);
    }
    void publish(event_kind what)
    {
        weft::run_event made = event(what);
        made.written = std::make_shared<const weft::written_values>(weft::write_set{}, values_, false);
        tell(made);
    }
    weft::message said(std::string text, std::string_view node = "n", std::uint32_t visit = 1)
    {
        weft::message one = weft::message::assistant(std::move(text));
        one.id = message_id_of(event(event_kind::node_started, node, visit));
        return one;
    }
    std::vector<object> end()
    {
        std::vector<story_item> items;
        story_.end(items);
        std::string text;
        append_agent_frames(text, items, story_, weft::run_event{}, apart());
        add(text);
        std::vector<object> all{object{{"type", "RUN_STARTED"}}};
        all.insert(all.end(), events_.begin(), events_.end());
        all.push_back(object{{"type", "RUN_FINISHED"}});
        return all;
    }
    agent_story& story() { return story_; }
    weft::state& values() { return values_; }
    static std::uint32_t slot() { return keys().layout()->find("messages"); }
    static agent_keys_apart apart() { return {slot(), weft::state_layout::none, weft::state_layout::none}; }

private:
    void add(const std::string& text)
    {
        for (object& one : agent_events_in(text)) events_.push_back(std::move(one));
    }

    weft::state values_;
    agent_story story_;
    std::vector<object> events_;
    std::uint64_t id_ = 0;
};

BOOST_AUTO_TEST_CASE(a_message_that_no_piece_came_of_is_told_as_a_whole)
{
    teller it;
    it.write({}, event_kind::run_started);
    weft::message one = it.said("all at once");
    one.content.insert(one.content.begin(), weft::reasoning_part{"first I thought", {}});
    it.write({one});
    const std::vector<object> events = it.end();
    BOOST_TEST(kinds_of(events) ==
               "RUN_STARTED STATE_SNAPSHOT MESSAGES_SNAPSHOT REASONING_START REASONING_MESSAGE_START "
               "REASONING_MESSAGE_CONTENT REASONING_MESSAGE_END REASONING_END TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT "
               "TEXT_MESSAGE_END RUN_FINISHED");
    BOOST_TEST(disorder_in(events) == "");
}

BOOST_AUTO_TEST_CASE(a_message_that_differs_from_its_pieces_is_told_again)
{
    teller it;
    it.write({}, event_kind::run_started);
    it.emit("output", "draft");
    it.tell(it.event(event_kind::node_succeeded));
    it.write({it.said("final text")});
    agent_client_view view;
    view.take(it.end());
    BOOST_TEST_REQUIRE(view.messages.size() == 1U);
    BOOST_TEST(view.messages[0].at("content") == "final text");
}

BOOST_AUTO_TEST_CASE(what_a_graph_within_a_node_said_and_the_node_says_again_is_there_once)
{
    teller it;
    it.write({}, event_kind::run_started);
    weft::run_event inner = it.event(event_kind::output, "talk");
    inner.address = "outer";
    inner.address_visits = "1";
    inner.label = "output";
    inner.text = "hello";
    it.tell(inner);
    inner.what = event_kind::node_succeeded;
    it.tell(inner);
    it.write({it.said("hello", "outer")});
    agent_client_view view;
    view.take(it.end());
    BOOST_TEST(view.messages.size() == 1U);
}

BOOST_AUTO_TEST_CASE(branches_in_one_node_have_steps_of_their_own)
{
    teller it;
    it.tell(it.event(event_kind::node_started, "n", 1, 1));
    it.tell(it.event(event_kind::node_started, "n", 2, 2));
    it.tell(it.event(event_kind::node_succeeded, "n", 1, 1));
    it.tell(it.event(event_kind::node_started, "n", 3, 1));
    const std::vector<object> events = it.end();
    BOOST_TEST(disorder_in(events) == "");
    BOOST_TEST(events[1].at("stepName") == "n");
    BOOST_TEST(events[2].at("stepName") == "n#2");
    BOOST_TEST(events[4].at("stepName") == "n");
}

BOOST_AUTO_TEST_CASE(calls_of_a_loop_that_tells_no_result_have_one_all_the_same)
{
    teller it;
    it.emit("tool_start", R"({"id":"c1","name":"look"})");
    it.emit("tool_end", R"({"id":"c1","name":"look","status":"success"})");
    it.emit("remote_call", R"({"id":"c2","name":"there","arguments":{"a":1}})");
    BOOST_TEST(it.story().pending_calls() == std::vector<std::string>({"c1", "c2"}), boost::test_tools::per_element());
    const std::vector<object> events = it.end();
    BOOST_TEST(disorder_in(events) == "");
    BOOST_TEST(it.story().pending_calls() == std::vector<std::string>{"c2"}, boost::test_tools::per_element());
    BOOST_TEST(kinds_of(events) == "RUN_STARTED TOOL_CALL_START TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END "
                                   "TOOL_CALL_END TOOL_CALL_RESULT RUN_FINISHED");
}

BOOST_AUTO_TEST_CASE(labels_that_are_no_json_do_no_harm)
{
    teller it;
    for (const char* const text : {"", "{", "[]", "7", R"({"id":7})", R"({"id":""})"})
        for (const char* const label : {"tool_start", "tool_end", "remote_call", "usage", "other"})
            it.emit(label, text);
    BOOST_TEST(disorder_in(it.end()) == "");
    BOOST_TEST(it.story().used().has_value() == false);
}

/** One thing that may happen, whatever makes sense. */
void happen(teller& it, std::mt19937& random)
{
    static constexpr std::string_view nodes[]{"n", "m"};
    const std::string_view node = nodes[random() % 2];
    const std::uint32_t visit = 1 + random() % 2;
    const std::string call = R"({"id":"c)" + std::to_string(random() % 3) + R"(","name":"f","status":"s"})";
    switch (random() % 12) {
    case 0: return it.tell(it.event(event_kind::node_started, node, visit, random() % 2));
    case 1: return it.tell(it.event(event_kind::node_succeeded, node, visit, random() % 2));
    case 2: return it.tell(it.event(event_kind::node_failed, node, visit, random() % 2));
    case 3: return it.tell(it.event(event_kind::node_retried, node, visit));
    case 4: return it.emit("retract", "", node, visit);
    case 5: return it.emit("tool_start", call, node, visit);
    case 6: return it.emit(random() % 2 ? "tool_end" : "remote_call", call, node, visit);
    case 7: return it.publish(event_kind::run_started);
    case 8: {
        weft::message one = it.said("abc", node, visit);
        if (random() % 2) one.tool_calls.push_back({"c" + std::to_string(random() % 3), "f", "{}", {}, {}});
        return it.write({one});
    }
    case 9: {
        weft::message one = weft::message::tool_result("c" + std::to_string(random() % 3), "r");
        one.id = "tool-" + std::to_string(random() % 100);
        return it.write({one});
    }
    case 10: it.story().lose(); return;
    default: return it.emit("output", "abc", node, visit);
    }
}

BOOST_AUTO_TEST_CASE(whatever_happens_is_told_in_order)
{
    for (unsigned seed = 1; seed <= 2000; ++seed) {
        std::mt19937 random{seed};
        teller it;
        if (seed % 3 != 0) it.write({}, event_kind::run_started);
        for (unsigned i = random() % 40; i > 0; --i) happen(it, random);
        const std::vector<object> events = it.end();
        BOOST_TEST_REQUIRE(disorder_in(events) == "", "seed " << seed << ": " << kinds_of(events));
        // A client that took it all has the whole conversation, each message once.
        agent_client_view view;
        view.take(events);
        if (!it.story().newest() || !it.values().at(teller::slot())) continue;
        const auto& kept = weft::unboxed<std::vector<weft::message>>(*it.values().at(teller::slot()));
        for (const weft::message& one : kept) {
            const object* const shown = view.find(one.id);
            BOOST_TEST_REQUIRE(shown, "seed " << seed << ": " << one.id << " of " << kinds_of(events));
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
