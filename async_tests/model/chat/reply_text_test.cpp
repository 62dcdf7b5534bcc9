#include <boost/test/unit_test.hpp>

#include <weft/async/sleep.hpp>
#include <weft/model/chat/reply_text.hpp>
#include <weft/testing/async_test_case.hpp>
#include <weft/testing/scripted_model.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(reply_text_test)

namespace {

using namespace std::chrono_literals;
using weft::async_generator;
using weft::task;
using weft::testing::scripted_model;
using weft::testing::scripted_turn;

weft::chat_request question()
{
    weft::chat_request request;
    request.messages.push_back(weft::message::user("a line, please"));
    return request;
}

std::shared_ptr<scripted_model> model_of(scripted_turn turn)
{
    auto model = std::make_shared<scripted_model>();
    model->then(std::move(turn));
    return model;
}

/** Pieces as they come, and at the end the code of an error. */
task<std::vector<std::string>> read_all(async_generator<std::string> text)
{
    std::vector<std::string> seen;
    try {
        for (;;) {
            std::string* const piece = co_await text.next();
            if (!piece) break;
            seen.push_back(*piece);
        }
    } catch (const weft::error& error) {
        seen.push_back(std::string{weft::name_of(error.code())});
    }
    co_return seen;
}

using pieces = std::vector<std::string>;

/** A model that writes and counts what it has written, and asks for room. */
class eager_model final : public weft::chat_model {
public:
    std::size_t written = 0;
    std::string_view label() const noexcept override { return "eager"; }

private:
    task<weft::chat_reply> do_reply(weft::chat_request, weft::chat_sink& sink) override
    {
        for (written = 0; written < 100;) {
            ++written;
            sink.on_text("x");
            if (sink.is_full()) co_await sink.wait_for_room();
        }
        co_return weft::chat_reply{};
    }
};

/** A model whose call breaks off behind a piece and begins anew. */
class restarting_model final : public weft::chat_model {
public:
    std::string_view label() const noexcept override { return "restarting"; }

private:
    task<weft::chat_reply> do_reply(weft::chat_request, weft::chat_sink& sink) override
    {
        sink.on_text("old");
        co_await weft::sleep_for(1s);
        sink.on_retracted();
        sink.on_text("new");
        co_return weft::chat_reply{};
    }
};

}  // namespace

WEFT_ASYNC_TEST_CASE(pieces_come_while_the_model_writes)
{
    const weft::serial_loop& loop = co_await weft::this_task::loop();
    const auto begin = loop.now();
    async_generator<std::string> text =
        weft::reply_text(model_of(scripted_turn{}.text("It ").wait(2s).text("rains.")), question());
    const std::string* piece = co_await text.next();
    BOOST_REQUIRE(piece);
    BOOST_TEST(*piece == "It ");
    BOOST_TEST((loop.now() - begin < 1s));
    piece = co_await text.next();
    BOOST_REQUIRE(piece);
    BOOST_TEST(*piece == "rains.");
    BOOST_TEST((loop.now() - begin >= 2s));
    piece = co_await text.next();
    BOOST_TEST(!piece);
}

WEFT_ASYNC_TEST_CASE(an_error_comes_behind_the_pieces_before_it)
{
    const pieces seen = co_await read_all(
        weft::reply_text(model_of(scripted_turn{}.text("It r").fails(weft::errc::connection_lost)), question()));
    BOOST_TEST(seen == (pieces{"It r", "connection_lost"}));
}

WEFT_ASYNC_TEST_CASE(a_slow_reader_holds_the_model)
{
    const auto model = std::make_shared<eager_model>();
    async_generator<std::string> text = weft::reply_text(model, question());
    for (std::size_t read = 1; read <= 100; ++read) {
        const std::string* const piece = co_await text.next();
        BOOST_REQUIRE(piece);
        BOOST_TEST_REQUIRE(model->written <= read + 16);
        co_await weft::sleep_for(1ms);
    }
    const std::string* const none = co_await text.next();
    BOOST_TEST(!none);
}

WEFT_ASYNC_TEST_CASE(what_was_read_of_a_reply_that_begins_anew_is_void)
{
    const pieces seen = co_await read_all(weft::reply_text(std::make_shared<restarting_model>(), question()));
    BOOST_TEST(seen == (pieces{"old", "invalid_model_reply"}));
}

WEFT_ASYNC_TEST_CASE(a_reply_without_text_has_no_pieces)
{
    const pieces seen = co_await read_all(weft::reply_text(model_of(scripted_turn{}.call("look")), question()));
    BOOST_TEST(seen.empty());
}

BOOST_AUTO_TEST_SUITE_END()
