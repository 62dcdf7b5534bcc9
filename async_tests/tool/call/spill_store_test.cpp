#include <boost/test/unit_test.hpp>

#include "tool/own_directory.hpp"
#include "tool/tools.hpp"

#include <weft/testing/async_test_case.hpp>

#include <filesystem>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(spill_store_test)

namespace {

void check_bounds(weft::spill_store& store)
{
    const std::string first = store.put("first");
    const std::string second = store.put("0123456789");
    BOOST_TEST(store.find(first).value() == "first");
    BOOST_TEST(store.find(second).value() == "0123456789");
    const std::string third = store.put("abcdefgh");
    BOOST_TEST(!store.find(first).has_value());
    BOOST_TEST(store.find(third).value() == "abcdefgh");
    BOOST_TEST(!store.find("../" + third).has_value());
    BOOST_TEST(!store.find("").has_value());
    BOOST_CHECK_EXCEPTION((void)store.put(std::string(21, 'x')), weft::error,
                          [](const weft::error& e) { return e.code() == weft::errc::limit_reached; });
}

weft::tool_result of_text(std::string text) { return weft::tool_result::text(std::move(text)); }

std::string shortened(std::string text, std::size_t chars, weft::spill_store* store = nullptr)
{
    weft::tool_result result = of_text(std::move(text));
    weft::shorten_result(result, chars, store);
    return result.readable();
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_oldest_texts_make_room)
{
    weft::memory_spill_store memory{{.bytes_max = 20, .texts_max = 10}};
    check_bounds(memory);
    const own_directory directory{"spill"};
    weft::directory_spill_store files{directory.path(), {.bytes_max = 20, .texts_max = 10}};
    check_bounds(files);
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator{directory.path()}) ++count;
    BOOST_TEST(count == 2u);
}

BOOST_AUTO_TEST_CASE(files_of_an_earlier_process_stay)
{
    const own_directory directory{"spill"};
    weft::directory_spill_store earlier{directory.path()};
    const std::string before = earlier.put("before");
    weft::directory_spill_store later{directory.path()};
    BOOST_TEST(later.put("after") != before);
    BOOST_TEST(earlier.find(before).value() == "before");
    BOOST_CHECK_THROW((weft::directory_spill_store{"/proc/nowhere/x"}), weft::error);
}

BOOST_AUTO_TEST_CASE(a_long_result_ends_with_a_note_and_a_reference)
{
    BOOST_TEST(shortened("abcdef", 6) == "abcdef");
    BOOST_TEST(shortened("abcdef", 4) == "abcd\n[truncated — 6 chars total]");
    BOOST_TEST(shortened("äöüß", 4) == "äöüß");
    BOOST_TEST(shortened("äöüß", 2) == "äö\n[truncated — 4 chars total]");
    weft::memory_spill_store store;
    BOOST_TEST(shortened("abcdef", 1, &store) == "a\n[truncated — 6 chars total; the whole is kept as result-1]");
    BOOST_TEST(store.find("result-1").value() == "abcdef");
    weft::memory_spill_store tiny{{.bytes_max = 2}};
    BOOST_TEST(shortened("abcdef", 1, &tiny) == "a\n[truncated — 6 chars total]");
    BOOST_TEST(shortened("a\xff" "b", 10) == "a\xEF\xBF\xBD" "b");
}

BOOST_AUTO_TEST_CASE(pictures_are_not_counted_and_stay)
{
    const weft::image_part picture{.data = weft::image_data{"image/png", std::string(100, 'A')}};
    weft::tool_result result = of_text("abcdef").add(picture);
    weft::shorten_result(result, 3, nullptr);
    BOOST_TEST(result.content.size() == 2u);
    weft::tool_answer answer{call_of("c", "camera")};
    answer.result = result;
    const weft::message message = answer.to_message();
    BOOST_TEST(message.text() == "abc\n[truncated — 6 chars total]\n[image: image/png]");
    BOOST_TEST(std::holds_alternative<weft::image_part>(message.content.at(1)));
}

WEFT_ASYNC_TEST_CASE(a_model_reads_on_in_what_was_spilled)
{
    auto store = std::make_shared<weft::memory_spill_store>();
    weft::tool_set tools;
    tools.add("long", "", [] { return std::string(40'000, 'x') + "the end"; });
    weft::add_spill_reader(tools, store);
    weft::tool_runner_options options;
    options.spill = store;
    const weft::tool_runner runner = runner_of(std::move(tools), std::move(options));
    const weft::tool_turn first = co_await runner.run(calls_of(call_of("a", "long")), weft::tool_context{});
    BOOST_TEST(has(text_of(first.answers[0]), "[truncated — 40007 chars total; the whole is kept as result-1]"));
    std::vector<weft::tool_call> calls{
        call_of("b", "read_result", R"({"reference":"result-1"})"),
        call_of("c", "read_result", R"({"reference":"result-1","offset":39998})"),
        call_of("d", "read_result", R"({"reference":"result-1","offset":40007})"),
        call_of("e", "read_result", R"({"reference":"result-9"})")};
    const weft::tool_turn next = co_await runner.run(std::move(calls), weft::tool_context{});
    BOOST_TEST(has(text_of(next.answers[0]), "[bytes 0 to 16384 of 40007; go on with offset 16384]"));
    BOOST_TEST(text_of(next.answers[1]) == "xxthe end");
    BOOST_TEST(next.answers[2].result.is_error);
    BOOST_TEST(text_of(next.answers[3]) == "there is no result 'result-9', or no longer");
}

BOOST_AUTO_TEST_SUITE_END()
