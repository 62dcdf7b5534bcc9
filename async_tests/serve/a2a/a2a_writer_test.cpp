#include <boost/test/unit_test.hpp>

#include "serve/a2a/a2a_writer.hpp"

#include <weft/base/json.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>

#include <boost/json/serialize.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(a2a_writer_test)

using namespace weft::serve_detail;
using weft::run_event;
using kind = weft::run_event::kind;

inline constexpr weft::state_key<std::string> output{"output"};

std::shared_ptr<const hosted_graph> talking()
{
    return std::make_shared<const hosted_graph>(weft::graph_builder{"talk"}
                                                          .state(output)
                                                          .node("a", [](weft::node_context&) {})
                                                          .edge(weft::start, "a")
                                                          .build());
}

run_event of(kind what, std::string label = {}, std::string text = {}, std::string_view node = "talk")
{
    run_event event;
    event.what = what;
    event.node = node;
    event.visit = 1;
    event.label = std::move(label);
    event.text = std::move(text);
    return event;
}

run_event piece(std::string text, std::string_view node = "talk") { return of(kind::output, "output", text, node); }

/** A client of a run, and what it was told: `first: Hel`, `next: lo`, `last: …`, `whole: …`, `state …`, `told …`. */
class listener {
public:
    explicit listener(a2a_envelope envelope = a2a_envelope{}) : writer_{std::move(envelope), begun()} {}

    void hear(const feed_event& event)
    {
        for (const auto& frame : writer_.frames(event)) wire.append(*frame);
    }
    void hear(run_event event) { hear(feed_event{std::move(event)}); }
    void end(weft::run_phase phase, std::string_view text = {})
    {
        run_ending ending;
        ending.phase = phase;
        weft::state left{talking()->graph.layout()};
        if (!text.empty()) left.assign_json({{"output", text}});
        ending.values = std::move(left);
        if (phase == weft::run_phase::failed) ending.message = "it broke";
        if (phase == weft::run_phase::waiting)
            ending.questions.emplace_back("a#1/ask#0", weft::question::approval("Go?"), weft::wall_time{});
        writer_.end(wire, ending);
    }
    void begin() { writer_.begin(wire); }
    void gap() { writer_.gap(wire); }

    [[nodiscard]] std::vector<boost::json::value> items() const
    {
        std::vector<boost::json::value> items;
        for (std::size_t at = wire.find("data: "); at != std::string::npos; at = wire.find("data: ", at + 1))
            items.push_back(weft::parse_json(wire.substr(at + 6, wire.find('\n', at) - at - 6)));
        return items;
    }
    [[nodiscard]] std::string heard() const
    {
        std::string lines;
        for (const boost::json::value& item : items()) lines.append(line_of(item.get_object())).append("\n");
        return lines;
    }

    std::string wire;

private:
    static a2a_task begun()
    {
        a2a_task first;
        first.context = "c";
        first.graph = talking();
        return first;
    }
    static std::string line_of(const boost::json::object& item)
    {
        if (item.contains("task")) return "task";
        if (const auto* status = item.if_contains("statusUpdate")) {
            if (const auto* told = status->get_object().if_contains("metadata"))
                return "told " + boost::json::serialize(*told);
            return "state " + std::string{status->at("status").at("state").as_string().subview(11)};
        }
        const boost::json::object& update = item.at("artifactUpdate").as_object();
        const std::string text{update.at("artifact").at("parts").at(0).at("text").as_string()};
        const bool appends = update.at("append").as_bool();
        if (update.at("lastChunk").as_bool()) return (appends ? "last: " : "whole: ") + text;
        return (appends ? "next: " : "first: ") + text;
    }

    a2a_writer writer_;
};

BOOST_AUTO_TEST_CASE(pieces_that_make_up_the_output_are_not_said_twice)
{
    listener client;
    client.begin();
    client.hear(of(kind::run_started));
    client.hear(piece("Hel"));
    client.hear(piece("lo"));
    client.hear(of(kind::output, "usage", "{}"));
    client.hear(of(kind::output, "progress", R"({"done":true})"));
    client.hear(of(kind::node_succeeded));
    client.end(weft::run_phase::finished, "Hello");
    BOOST_TEST(client.heard() == "task\nstate WORKING\nfirst: Hel\nnext: lo\n"
                                 "told {\"node\":\"talk\",\"event\":\"progress\",\"data\":{\"done\":true}}\n"
                                 "told {\"node\":\"talk\",\"event\":\"step\"}\nlast: \nstate COMPLETED\n");
}

BOOST_AUTO_TEST_CASE(pieces_that_do_not_make_up_the_output_are_replaced_by_it)
{
    listener client;
    client.hear(piece("Thinking", "plan"));
    client.hear(piece("Hello"));
    client.end(weft::run_phase::finished, "Hello");
    BOOST_TEST(client.heard() ==
               "state WORKING\nfirst: Thinking\nnext: \n\n\nnext: Hello\nwhole: Hello\nstate COMPLETED\n");
    listener silent;
    silent.end(weft::run_phase::finished, "Hello");
    BOOST_TEST(silent.heard() == "whole: Hello\nstate COMPLETED\n");
    listener gapped;
    gapped.hear(piece("Hello"));
    gapped.gap();
    gapped.end(weft::run_phase::finished, "Hello");
    BOOST_TEST(gapped.heard() == "state WORKING\nfirst: Hello\nwhole: Hello\nstate COMPLETED\n");
}

BOOST_AUTO_TEST_CASE(pieces_of_a_call_that_is_made_again_are_void)
{
    listener client;
    client.hear(piece("Hul"));
    client.hear(of(kind::output, "retract"));
    client.hear(piece("Hel"));
    client.hear(of(kind::node_retried));
    client.hear(piece("Hello"));
    client.end(weft::run_phase::finished, "Hello");
    BOOST_TEST(client.heard() == "state WORKING\nfirst: Hul\nfirst: \nnext: Hel\nfirst: \nnext: Hello\nlast: \n"
                                 "state COMPLETED\n");
}

BOOST_AUTO_TEST_CASE(pieces_of_a_visit_that_its_process_has_lost_are_void_and_those_of_others_are_not)
{
    run_event begun = of(kind::run_started);
    begun.node = {};
    listener lost;
    lost.hear(piece("Hul"));
    lost.hear(begun);
    lost.hear(piece("Hello"));
    lost.end(weft::run_phase::finished, "Hello");
    BOOST_TEST(lost.heard() == "state WORKING\nfirst: Hul\nfirst: \nnext: Hello\nlast: \nstate COMPLETED\n");
    listener kept;
    kept.hear(piece("Hello"));
    kept.hear(of(kind::node_succeeded));
    kept.hear(begun);
    kept.end(weft::run_phase::finished, "Hello");
    BOOST_TEST(kept.heard().find("first: \n") == std::string::npos, kept.heard());
}

BOOST_AUTO_TEST_CASE(a_run_ends_in_the_state_that_it_has)
{
    listener failed;
    failed.end(weft::run_phase::failed);
    BOOST_TEST(failed.heard() == "state FAILED\n");
    BOOST_TEST(failed.wire.find("it broke") != std::string::npos);
    listener cancelled;
    cancelled.end(weft::run_phase::cancelled);
    BOOST_TEST(cancelled.heard() == "state CANCELED\n");
    listener asked;
    asked.end(weft::run_phase::waiting);
    BOOST_TEST(asked.heard() == "state INPUT_REQUIRED\n");
    BOOST_TEST(asked.items()[0].at("statusUpdate").at("status").at("message").at("parts").at(0).at("text") == "Go?");
}

BOOST_AUTO_TEST_CASE(an_event_is_made_once_for_all_clients_and_packed_for_each)
{
    a2a_envelope first;
    first.is_rpc = true;
    first.id = 1;
    a2a_envelope second;
    second.is_rpc = true;
    second.id = "b";
    a2a_envelope legacy;
    legacy.is_rpc = true;
    legacy.id = 2;
    legacy.dialect = a2a_dialect::v03;
    listener one{first};
    listener other{second};
    listener old{legacy};
    const feed_event event{piece("x")};
    one.hear(event);
    const auto made = event.form(form_slots::a2a, [](const feed_event&) { return std::string{"made again"}; });
    other.hear(event);
    old.hear(event);
    BOOST_TEST(one.wire.find(*made) != std::string::npos);
    BOOST_TEST(other.wire.find(*made) != std::string::npos);
    const boost::json::value packed = one.items().back();
    BOOST_TEST(packed.at("jsonrpc") == "2.0");
    BOOST_TEST(packed.at("id").as_int64() == 1);
    BOOST_TEST(packed.at("result").at("artifactUpdate").at("contextId") == "c");
    BOOST_TEST(other.items().back().at("id") == "b");
    BOOST_TEST(old.items().back().at("result").at("kind") == "artifact-update");
    BOOST_TEST(old.items().back().at("result").at("artifact").at("parts").at(0).at("kind") == "text");
}

BOOST_AUTO_TEST_SUITE_END()
