#include <weft/testing/scripted_model.hpp>

#include <weft/testing/async_test_case.hpp>

#include <stdexcept>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(scripted_model_test)

using weft::errc;
using weft::testing::scripted_model;
using weft::testing::scripted_turn;
using namespace std::chrono_literals;

namespace {

/** Writes down what a model streams. */
class noting_sink final : public weft::chat_sink {
public:
    std::string heard;

    void on_started(std::string_view id, std::string_view) override { note("started", id); }
    void on_text(std::string_view piece) override { note("text", piece); }
    void on_reasoning(std::string_view piece) override { note("reasoning", piece); }
    void on_refusal(std::string_view piece) override { note("refusal", piece); }
    void on_tool_call(std::size_t slot, std::string_view id, std::string_view name) override
    {
        note("call " + std::to_string(slot) + " " + std::string{id}, name);
    }
    void on_tool_arguments(std::size_t, std::string_view piece) override { note("arguments", piece); }
    void on_usage(const weft::usage& used) override { note("usage", std::to_string(used.total().count())); }

private:
    void note(const std::string& what, std::string_view text) { heard.append(what + ":").append(text).append(" "); }
};

weft::chat_request asking(std::string text)
{
    weft::chat_request request;
    request.user(std::move(text));
    return request;
}

std::string complaint_of(const scripted_model& model)
{
    try {
        model.assert_complete();
    } catch (const std::logic_error& e) {
        return e.what();
    }
    return {};
}

}  // namespace

WEFT_ASYNC_TEST_CASE(a_turn_streams_exactly_what_it_says)
{
    scripted_model model;
    model.then(scripted_turn{}
                   .reasoning("hm")
                   .text("Let me ")
                   .text("look.")
                   .call("search", {{"query", "rain"}})
                   .raw_call("broken", "{oops", "mine")
                   .used(weft::tokens{7}, weft::tokens{3}));
    noting_sink sink;
    weft::task<weft::chat_reply> asked = model.reply(asking("Rain?"), sink);
    const weft::chat_reply reply = co_await std::move(asked);
    BOOST_TEST(sink.heard == "started:reply-1 reasoning:hm text:Let me  text:look. call 0 call-1:search "
                             "arguments:{\"query\":\"rain\"} call 1 mine:broken arguments:{oops usage:10 ");
    BOOST_TEST(reply.message.text() == "Let me look.");
    BOOST_TEST(reply.message.reasoning() == "hm");
    BOOST_TEST_REQUIRE(reply.message.tool_calls.size() == 2U);
    BOOST_TEST(reply.message.tool_calls[0].id == "call-1");
    BOOST_TEST((reply.stop == weft::stop_reason::tool_calls));
    BOOST_TEST(complaint_of(model) == "");
    BOOST_TEST(model.requests().at(0).messages.back().text() == "Rain?");
}

WEFT_ASYNC_TEST_CASE(time_passes_on_the_clock_of_the_loop)
{
    scripted_model model;
    model.then(scripted_turn{}.text("a").wait(90s).text("b"));
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const weft::time_point before = loop.now();
    weft::task<weft::chat_reply> asked = model.reply(asking("?"));
    const weft::chat_reply reply = co_await std::move(asked);
    BOOST_TEST(reply.message.text() == "ab");
    BOOST_TEST((loop.now() - before == 90s));
}

WEFT_ASYNC_TEST_CASE(a_failure_comes_behind_what_was_streamed)
{
    scripted_model model;
    model.then(scripted_turn{}.text("It r").call("t").fails(errc::connection_lost))
        .then(scripted_turn{}.fails(errc::model_overloaded, "busy"));
    for (const bool is_first : {true, false}) {
        std::string told;
        try {
            weft::task<weft::chat_reply> asked = model.reply(asking("?"));
            (void)co_await std::move(asked);
        } catch (const weft::model_error& e) {
            told = std::string{weft::name_of(e.code())} + " " + e.partial().message.text();
            BOOST_TEST(e.failure().has_delivered == is_first);
            BOOST_TEST(e.is_retryable() == !is_first);
            BOOST_TEST(e.partial().message.tool_calls.empty());
        }
        BOOST_TEST(told == (is_first ? "connection_lost It r" : "model_overloaded "));
    }
    BOOST_TEST(complaint_of(model) == "");
}

WEFT_ASYNC_TEST_CASE(a_condition_keeps_a_turn_for_its_branch)
{
    const auto is_about = [](std::string word) {
        return [word = std::move(word)](const weft::chat_request& request) {
            return request.messages.back().text() == word;
        };
    };
    scripted_model model;
    model.then(scripted_turn{"for a"}.when(is_about("a"))).then(scripted_turn{"for b"}.when(is_about("b")));
    model.otherwise(scripted_turn{"for others"});
    std::string said;
    for (const char* word : {"b", "c", "a", "b"}) {
        weft::task<weft::chat_reply> asked = model.reply(asking(word));
        const weft::chat_reply reply = co_await std::move(asked);
        said += reply.message.text() + "; ";
    }
    BOOST_TEST(said == "for b; for others; for a; for others; ");
    BOOST_TEST(complaint_of(model) == "");
}

WEFT_ASYNC_TEST_CASE(what_went_wrong_is_told_at_the_end)
{
    scripted_model model{"the writer"};
    model.then(scripted_turn{"one"}.expects([](const weft::chat_request& request) {
        if (request.tools.empty()) throw std::runtime_error{"it has no tools"};
    }));
    for (int i = 0; i < 2; ++i) {
        errc code{};
        try {
            weft::task<weft::chat_reply> asked = model.reply(asking("question " + std::to_string(i)));
            (void)co_await std::move(asked);
        } catch (const weft::error& e) {
            code = e.code();
        }
        BOOST_TEST((code == errc::model_rejected));
    }
    model.then(scripted_turn{"never"}, 2);
    const std::string told = complaint_of(model);
    BOOST_TEST(told.find("the scripted model 'the writer'") != std::string::npos, told);
    BOOST_TEST(told.find("request 1: it has no tools") != std::string::npos, told);
    BOOST_TEST(told.find("request 2: no turn is left for it; its last message is by user: 'question 1'") !=
               std::string::npos, told);
    BOOST_TEST(told.find("2 turns were never asked for, after 2 requests") != std::string::npos, told);
}

BOOST_AUTO_TEST_SUITE_END()
