#include <boost/test/unit_test.hpp>

#include "serve/protocol/thread_frames.hpp"

#include <weft/base/json.hpp>
#include <weft/net/server/http_error.hpp>
#include <weft/testing/simulation.hpp>

#include <boost/json/serialize.hpp>
#include <boost/test/data/test_case.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(thread_frames_test)

using namespace weft::serve_detail;
using weft::run_event;

channel_filter filter(std::string_view text)
{
    static const weft::serve_detail::channel_fields fields{"body"};
    return channel_filter::read(weft::parse_json(text).get_object(), fields);
}

tape_entry entry_of(std::uint64_t sequence, run_event event)
{
    tape_entry entry;
    entry.sequence = sequence;
    event.id = sequence;
    entry.event = std::make_shared<const feed_event>(std::move(event));
    return entry;
}

run_event of(run_event::kind what, std::string label = {}, std::string text = {})
{
    run_event event;
    event.what = what;
    event.node = "talk";
    event.visit = 1;
    event.label = std::move(label);
    event.text = std::move(text);
    return event;
}

/** The data of all frames, a line each, without what changes from run to run. */
std::string shown(thread_frames& frames, const tape_entry& entry)
{
    std::string out;
    frames.append(out, entry);
    std::string lines;
    for (std::size_t at = out.find("data: "); at != std::string::npos; at = out.find("data: ", at + 1)) {
        const std::string line = out.substr(at + 6, out.find('\n', at) - at - 6);
        const boost::json::value frame = weft::parse_json(line);
        lines += std::string{frame.at("method").as_string()} + ' ' +
                 boost::json::serialize(frame.at("params").at("data")) + '\n';
    }
    return lines;
}

BOOST_AUTO_TEST_CASE(text_of_a_model_is_a_message_with_beginning_and_end)
{
    thread_frames frames{filter(R"({"channels":["messages"]})")};
    BOOST_TEST(shown(frames, entry_of(1, of(run_event::kind::node_started))) == "");
    const std::string first = shown(frames, entry_of(2, of(run_event::kind::output, "output", "Hel")));
    BOOST_TEST(first.find(R"("event":"message-start","role":"ai")") != std::string::npos);
    BOOST_TEST(first.find(R"("event":"content-block-start")") != std::string::npos);
    BOOST_TEST(first.ends_with("messages {\"event\":\"content-block-delta\",\"index\":0,"
                               "\"delta\":{\"type\":\"text-delta\",\"text\":\"Hel\"}}\n"));
    BOOST_TEST(shown(frames, entry_of(3, of(run_event::kind::output, "output", "lo"))) ==
               "messages {\"event\":\"content-block-delta\",\"index\":0,"
               "\"delta\":{\"type\":\"text-delta\",\"text\":\"lo\"}}\n");
    BOOST_TEST(shown(frames, entry_of(4, of(run_event::kind::node_succeeded))) ==
               "messages {\"event\":\"content-block-finish\",\"index\":0,"
               "\"content\":{\"type\":\"text\",\"text\":\"Hello\"}}\nmessages {\"event\":\"message-finish\"}\n");
}

BOOST_AUTO_TEST_CASE(a_message_that_its_process_has_lost_begins_anew)
{
    thread_frames frames{filter(R"({"channels":["messages","lifecycle"]})")};
    (void)shown(frames, entry_of(1, of(run_event::kind::output, "output", "Hel")));
    run_event begun = of(run_event::kind::run_started);
    begun.node = {};
    BOOST_TEST(shown(frames, entry_of(2, begun)) == "lifecycle {\"event\":\"running\"}\n");
    const std::string again = shown(frames, entry_of(3, of(run_event::kind::output, "output", "Hello")));
    BOOST_TEST(again.find(R"("event":"message-start")") != std::string::npos);
    BOOST_TEST(shown(frames, entry_of(4, of(run_event::kind::node_succeeded))).find(R"("text":"Hello")") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(numbers_are_the_same_whatever_a_client_wants_to_see)
{
    const auto numbers = [](std::string_view channels) {
        thread_frames frames{filter(channels)};
        std::string out;
        frames.append(out, entry_of(7, of(run_event::kind::output, "output", "x")));
        return out;
    };
    BOOST_TEST(numbers(R"({"channels":["messages"]})").find("id: 114\n") != std::string::npos);
    BOOST_TEST(numbers(R"({"channels":["lifecycle"]})") == "");
    BOOST_TEST(thread_frames::entry_of(114) == 7u);
}

BOOST_AUTO_TEST_CASE(a_client_that_comes_back_goes_on_within_an_entry_and_within_a_message)
{
    weft::testing::simulation world{1};
    thread_tape tape{world.loop(), 100};
    const auto push = [&tape](run_event event) {
        event.id = tape.last() + 1;
        tape.push(weft::run_id{}, std::make_shared<const feed_event>(std::move(event)));
    };
    push(of(run_event::kind::output, "output", "Hel"));
    push(of(run_event::kind::output, "output", "lo"));
    push(of(run_event::kind::node_succeeded));
    const auto told_behind = [&tape](std::uint64_t number) {
        thread_frames frames{filter(R"({"channels":["messages","tasks"]})"), thread_frames::form::lines};
        std::uint64_t seen = frames.go_on_behind(tape, number);
        std::vector<std::string> lines;
        while (const tape_entry* const entry = tape.after(seen)) {
            std::string out;
            frames.append(out, *entry);
            for (std::size_t at = 0; at < out.size(); at = out.find('\n', at) + 1) {
                const boost::json::value frame = weft::parse_json(out.substr(at, out.find('\n', at) - at));
                boost::json::object told;
                told["seq"] = frame.at("seq");
                told["id"] = frame.at("event_id");
                told["data"] = frame.at("params").at("data");
                lines.push_back(boost::json::serialize(told));
            }
            seen = entry->sequence;
        }
        return lines;
    };
    const std::vector<std::string> all = told_behind(0);
    BOOST_TEST_REQUIRE(all.size() == 7u);
    BOOST_TEST(all[5].find(R"("event":"message-finish")") != std::string::npos, all[5]);
    // Wherever the connection broke, the rest comes in the same words and with the same numbers.
    for (std::size_t got = 1; got <= all.size(); ++got) {
        const auto number = weft::parse_json(all[got - 1]).at("seq").to_number<std::uint64_t>();
        const std::vector<std::string> rest{all.begin() + static_cast<std::ptrdiff_t>(got), all.end()};
        BOOST_TEST(told_behind(number) == rest, boost::test_tools::per_element());
    }
    // A number that this process has not come to is of another one.
    BOOST_TEST(told_behind(100'000) == all, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_end_of_a_run_and_its_questions_are_told)
{
    thread_frames frames{filter(R"({"channels":["lifecycle","input"]})")};
    BOOST_TEST(shown(frames, entry_of(1, of(run_event::kind::run_started))) == "lifecycle {\"event\":\"running\"}\n");
    BOOST_TEST(shown(frames, entry_of(2, of(run_event::kind::question_asked, "talk#1/ask#0", "Go?"))) ==
               "input.requested {\"interrupt_id\":\"talk#1/ask#0\",\"payload\":\"Go?\",\"value\":\"Go?\"}\n");
    tape_entry end;
    end.sequence = 3;
    run_ending ending;
    ending.phase = weft::run_phase::failed;
    ending.message = "it broke";
    end.ending = std::make_shared<const run_ending>(ending);
    BOOST_TEST(shown(frames, end) == "lifecycle {\"event\":\"failed\",\"error\":\"it broke\"}\n");
}

BOOST_AUTO_TEST_CASE(SUL_26_the_end_of_a_run_is_told_in_the_form_that_chats_wait_for)
{
    const auto told = [](std::string_view channels, thread_frames::form as, weft::run_phase phase) {
        thread_frames frames{filter(channels), as};
        frames.set_thread("chat");
        tape_entry end;
        run_ending ending;
        ending.phase = phase;
        end.ending = std::make_shared<const run_ending>(ending);
        std::string out;
        frames.append(out, end);
        return out;
    };
    using form = thread_frames::form;
    BOOST_TEST(told(R"({"channels":["completion"]})", form::lines, weft::run_phase::finished) ==
               "{\"type\":\"transfer_data\",\"content\":\"graph_execution_complete\"}\n");
    BOOST_TEST(told(R"({"channels":["completion"]})", form::events, weft::run_phase::failed) ==
               "event: transfer_data\n"
               "data: {\"type\":\"transfer_data\",\"content\":\"graph_execution_complete\"}\n\n");
    // As upstream has it, with what is known of the end.
    BOOST_TEST(told(R"({"channels":["completion:nested"]})", form::lines, weft::run_phase::cancelled) ==
               R"({"type":"transfer_data","data":{"role":"system","content":"graph_execution_complete",)"
               R"("stopReason":"aborted","waitingForUser":true,"thread_id":"chat"}})"
               "\n");
    BOOST_TEST(told(R"({"channels":["values"]})", form::lines, weft::run_phase::finished) == "");
}

BOOST_AUTO_TEST_CASE(custom_events_are_wanted_all_or_by_name)
{
    const tape_entry said = entry_of(1, of(run_event::kind::output, "progress", R"({"done":1})"));
    thread_frames all{filter(R"({"channels":["custom"]})")};
    BOOST_TEST(shown(all, said) == "custom {\"name\":\"progress\",\"payload\":{\"done\":1}}\n");
    thread_frames named{filter(R"({"channels":["custom:progress"]})")};
    BOOST_TEST(shown(named, said) != "");
    thread_frames other{filter(R"({"channels":["custom:other"]})")};
    BOOST_TEST(shown(other, said) == "");
}

BOOST_AUTO_TEST_CASE(namespaces_and_depth_say_which_graphs_within_nodes_are_seen)
{
    const auto reaches = [](std::string_view text, channel_filter::path path) { return filter(text).reaches(path); };
    BOOST_TEST(reaches(R"({"channels":["values"]})", {"a:1", "b:1"}));
    BOOST_TEST(reaches(R"({"channels":["values"],"namespaces":[[]],"depth":1})", {"a:1"}));
    BOOST_TEST(!reaches(R"({"channels":["values"],"namespaces":[[]],"depth":1})", {"a:1", "b:1"}));
    BOOST_TEST(reaches(R"({"channels":["values"],"namespaces":[["a:1"]]})", {"a:1", "b:1"}));
    BOOST_TEST(!reaches(R"({"channels":["values"],"namespaces":[["a:1"]]})", {}));
}

BOOST_DATA_TEST_CASE(a_filter_that_cannot_be_is_refused,
                     boost::unit_test::data::make({R"({})", R"({"channels":[]})", R"({"channels":["all"]})",
                                                   R"({"channels":["custom:"]})", R"({"channels":[7]})",
                                                   R"({"channels":["values"],"namespaces":[7]})"}),
                     text)
{
    BOOST_CHECK_THROW((void)filter(text), weft::http_error);
}

BOOST_AUTO_TEST_SUITE_END()
