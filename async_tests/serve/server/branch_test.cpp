#include "net/test_loop.hpp"
#include "serve/server/server_life.hpp"

#include <weft/chat/message.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node/question.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/reducer.hpp>

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(branch_test)

inline constexpr weft::state_key<std::vector<weft::message>, weft::append> turns{"messages"};

weft::task<void> say_again(weft::node_context& ctx)
{
    const std::string heard = ctx.get(turns).back().text();
    if (heard == "ask") {
        weft::question question = weft::question::approval("Now?");
        question.about = {{"what", "it"}};
        (void)co_await ctx.ask<bool>(std::move(question));
    }
    ctx.emit("output", "you: " + heard);
    ctx.set(turns, weft::message::assistant("you: " + heard));
}

weft::graph chatting_graph()
{
    return weft::graph_builder{"chatting"}.state(turns).node("say", say_again).edge(weft::start, "say").build();
}

struct chat_life : life {
    chat_life(test_loop& loop, weft::memory_store& store) : life{loop, store, {chatting_graph()}}
    {
        (void)post("/threads", R"({"thread_id":"t"})");
    }

    /** What a run of the thread leaves, as `id: text` in lines. */
    std::string run(std::string_view more)
    {
        const answer got = post("/threads/t/runs/wait", R"({"assistant_id":"chatting")" + std::string{more} + '}');
        if (got.status != 200) return got.body;
        return text_of(got.json().at("messages"));
    }
    std::string hear(std::string_view text, std::string_view more = {})
    {
        return run(R"(,"input":{"messages":[{"type":"human","content":")" + std::string{text} + R"(","id":"m-)" +
                   std::string{text} + R"("}]})" + std::string{more});
    }
    /** The checkpoints with the ones that they follow, newest first. */
    std::string history()
    {
        std::string lines;
        const boost::json::value states = send("GET", "/threads/t/history?limit=50").json();
        for (const boost::json::value& state : states.as_array())
            lines.append(short_id(state, "checkpoint")).append("<").append(short_id(state, "parent_checkpoint")) += ' ';
        return lines;
    }

private:
    static std::string short_id(const boost::json::value& state, std::string_view member)
    {
        const std::string id{state.at(member).at("checkpoint_id").as_string()};
        return id.substr(id.find_first_not_of('0') == id.npos ? id.size() - 1 : id.find_first_not_of('0'));
    }
    static std::string text_of(const boost::json::value& messages)
    {
        std::string lines;
        for (const boost::json::value& one : messages.as_array())
            lines.append(one.at("content").as_string()).append("; ");
        return lines;
    }
};

BOOST_AUTO_TEST_CASE(another_answer_and_other_words_are_branches)
{
    test_loop loop;
    weft::memory_store store;
    chat_life server{loop, store};
    BOOST_TEST(server.hear("one") == "one; you: one; ");
    BOOST_TEST(server.hear("two") == "one; you: one; two; you: two; ");
    BOOST_TEST(server.history() == "4<3 3<2 2<1 1<0 ");
    // The same words once more: from where only they had been said.
    BOOST_TEST(server.run(R"(,"checkpoint_id":"0000000001")") == "one; you: one; ");
    BOOST_TEST(server.history() == "6<5 5<1 4<3 3<2 2<1 1<0 ");
    BOOST_TEST(server.hear("three", R"(,"checkpoint":{"checkpoint_id":"0000000000"})") == "three; you: three; ");
    BOOST_TEST(server.history() == "8<7 7<0 6<5 5<1 4<3 3<2 2<1 1<0 ");
    BOOST_TEST(server.run(R"(,"checkpoint_id":"2")").find("body.checkpoint") != std::string::npos);
    const answer edited = server.post("/threads/t/state", R"({"checkpoint_id":"2","values":{"messages":"by hand"}})");
    BOOST_TEST(edited.status == 200, edited.body);
    const boost::json::value state = server.send("GET", "/threads/t/state").json();
    BOOST_TEST(state.at("values").at("messages").as_array().size() == 3u);
    BOOST_TEST(state.at("parent_checkpoint").at("checkpoint_id").as_string() == "0000000002");
    const boost::json::value begun = server.send("GET", "/threads/t/state/0000000000").json();
    BOOST_TEST(begun.at("values").as_object().empty());
}

BOOST_AUTO_TEST_CASE(a_message_has_one_id_in_streams_and_in_the_state)
{
    test_loop loop;
    weft::memory_store store;
    chat_life server{loop, store};
    (void)server.hear("one");
    const answer streamed = server.post("/threads/t/runs/stream",
                                        R"({"assistant_id":"chatting","stream_mode":["messages-tuple"],)"
                                        R"("input":{"messages":"two"}})");
    const boost::json::value state = server.send("GET", "/threads/t/state").json();
    const boost::json::array& messages = state.at("values").at("messages").as_array();
    BOOST_TEST_REQUIRE(messages.size() == 4u);
    BOOST_TEST(messages[0].at("id").as_string() == "m-one");
    const std::string id{messages[3].at("id").as_string()};
    BOOST_TEST(streamed.body.find('"' + id + '"') != std::string::npos, streamed.body);
    BOOST_TEST(messages[1].at("id").as_string() != id.c_str());
    // Lists of threads show them in the form of the client.
    const boost::json::value thread = server.send("GET", "/threads/t").json();
    BOOST_TEST(thread.at("values").at("messages").at(0).at("type").as_string() == "human");
}

BOOST_AUTO_TEST_CASE(a_client_that_joins_sees_what_the_run_was_begun_with)
{
    test_loop loop;
    weft::memory_store store;
    chat_life server{loop, store};
    const answer made = server.post("/threads/t/runs", R"({"assistant_id":"chatting","stream_mode":["updates"],)"
                                                       R"("input":{"messages":"one"}})");
    const std::string run{made.json().at("run_id").as_string()};
    BOOST_TEST(!made.json().at("metadata").as_object().contains("weft.stream"), made.body);
    const answer joined = server.send("GET", "/threads/t/runs/" + run + "/stream");
    BOOST_TEST(joined.body.find("event: updates") != std::string::npos, joined.body);
    BOOST_TEST(joined.body.find("event: values") == std::string::npos, joined.body);
}

BOOST_AUTO_TEST_CASE(what_a_question_is_about_is_in_streams_too)
{
    test_loop loop;
    weft::memory_store store;
    chat_life server{loop, store};
    const answer asked = server.post("/threads/t/runs/stream", R"({"assistant_id":"chatting","stream_mode":"updates",)"
                                                               R"("input":{"messages":"ask"}})");
    BOOST_TEST(asked.body.find(R"("value":{"what":"it"})") != std::string::npos, asked.body);
}

BOOST_AUTO_TEST_CASE(a_message_with_the_id_of_one_that_is_there_takes_its_place)
{
    test_loop loop;
    weft::memory_store store;
    chat_life server{loop, store};
    BOOST_TEST(server.hear("one") == "one; you: one; ");
    const std::string again = server.run(R"(,"input":{"messages":[{"type":"human","content":"two","id":"m-one"}]})");
    BOOST_TEST(again == "two; you: one; you: you: one; ");
    const answer edited =
        server.post("/threads/t/state", R"({"values":{"messages":[{"type":"human","content":"three","id":"m-one"},
                                                                 {"type":"human","content":"four","id":"m-new"}]}})");
    BOOST_TEST(edited.status == 200, edited.body);
    BOOST_TEST(server.run(R"(,"input":{})") == "three; you: one; you: you: one; four; you: four; ");
}

BOOST_AUTO_TEST_SUITE_END()
