#include "expression_cases.hpp"

#include <weft/base/memory/free_list.hpp>

#include <optional>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(expression_binding_test)

namespace {

enum class mood { calm, angry };
BOOST_DESCRIBE_ENUM(mood, calm, angry)

constexpr weft::state_key<double> confidence{"confidence"};
constexpr weft::state_key<mood> feeling{"feeling"};
constexpr weft::state_key<std::optional<std::uint8_t>> level{"level"};
constexpr weft::state_key<boost::json::value> anything{"anything"};

/** A branch that has values for some keys. */
struct branch {
    branch() : layout{std::make_shared<weft::state_layout>()}, values{weft::state{with_keys(layout)}}
    {
        put(score, std::int64_t{7});
        put(topic, std::string{"the weather of the coming week"});
        put(home, address{"Main Street", 5});
        put(notes, std::vector<std::string>{"a", "b"});
        put(confidence, 0.85);
        put(feeling, mood::angry);
        put(level, std::optional<std::uint8_t>{3});
        put(anything, weft::parse_json(R"({"a": [1, 2]})"));
    }

    static std::shared_ptr<weft::state_layout> with_keys(std::shared_ptr<weft::state_layout> to)
    {
        const auto add = [&](const auto&... keys) { (to->add(keys), ...); };
        add(score, topic, home, total, notes, handle, confidence, feeling, level, anything);
        return to;
    }
    template <class T, class R>
    void put(const weft::state_key<T, R>& key, T value)
    {
        values.root().writable(layout->find(key.name())) = weft::make_box<T>(std::move(value));
    }
    std::string answer(std::string_view text, const weft::expression_mapping* output = nullptr)
    {
        return weft::expression::compile(text).bind(*layout).evaluate(weft::state_view{values}, output).text();
    }

    std::shared_ptr<weft::state_layout> layout;
    weft::branch_state values;
};

}  // namespace

BOOST_AUTO_TEST_CASE(HIV_8_keys_of_every_type_are_read)
{
    branch b;
    BOOST_TEST(b.answer("score >= 7 and confidence >= 0.8 and feeling == 'angry' and level == 3") == "True");
    BOOST_TEST(b.answer("home.number + home['number']") == "10");
    BOOST_TEST(b.answer("'b' in notes and len(notes) == 2 and notes[0] == 'a'") == "True");
    BOOST_TEST(b.answer("anything['a'][1]") == "2");
    BOOST_TEST(b.answer("total") == "None");
    BOOST_TEST(b.answer("topic.split()[1].upper()") == "'WEATHER'");
}

BOOST_AUTO_TEST_CASE(HIV_8_memory_output_and_result_are_dicts)
{
    branch b;
    BOOST_TEST(b.answer("memory['score'] == 7 and memory.get('total') is None and 'topic' in memory") == "True");
    BOOST_TEST(b.answer("memory.get('nope', 1)") == "1");
    BOOST_TEST(b.answer("[output, result]") == "[{}, None]");
    const boost::json::object written{{"result", "ok"}, {"score", 9}};
    const weft::json_scope output{written};
    BOOST_TEST(b.answer("output.score > score and result == 'ok' and output.get('x') is None", &output) == "True");
    BOOST_TEST(b.answer("len(memory) > 5 and memory.keys() == set(list(memory))") == "True");
}

BOOST_AUTO_TEST_CASE(HIV_8_unknown_names_are_found_when_the_expression_is_bound)
{
    branch b;
    const auto wrong = weft::expression::compile("scroe > 1 and\n  nothing or handle or len");
    const std::vector<std::string> mistakes = wrong.mistakes(*b.layout);
    BOOST_TEST_REQUIRE(mistakes.size() == 4u);
    BOOST_TEST(mistakes[0].starts_with("line 1, column 1: the graph has no key 'scroe' (did you mean 'score'?)"));
    BOOST_TEST(mistakes[1].starts_with("line 2, column 3: the graph has no key 'nothing'"));
    BOOST_TEST(mistakes[1].find("its keys are: score, topic") != std::string::npos);
    BOOST_TEST(mistakes[2].find("does not convert to JSON") != std::string::npos);
    BOOST_TEST(mistakes[3].find("call it, len(") != std::string::npos);
    BOOST_CHECK_EXCEPTION((void)wrong.bind(*b.layout), weft::error,
                          says(weft::errc::unknown_state_key, {"'score'?", "line 2, column 3"}));
    BOOST_CHECK_EXCEPTION((void)weft::expression::compile("1 +"), weft::error,
                          says(weft::errc::invalid_expression, {"line 1, column 4"}));
}

BOOST_AUTO_TEST_CASE(HIV_8_numbers_and_texts_are_compared_without_allocation)
{
    branch b;
    const weft::state_view view{b.values};
    for (const std::string_view text :
         {"score > 5 and confidence * 2 >= 1.6", "topic == 'the weather of the coming week'",
          "'coming' in topic and feeling != 'calm'", "1 < score <= 7 if level else False"}) {
        const weft::bound_expression condition = weft::expression::compile(text).bind(*b.layout);
        // Values that an evaluation makes come from its arena, whose blocks the free lists count.
        const weft::block_counts before = weft::count_blocks();
        BOOST_TEST(condition.evaluate(view).holds());
        const weft::block_counts after = weft::count_blocks();
        BOOST_TEST(after.heap_allocations == before.heap_allocations);
        BOOST_TEST(after.cached_blocks == before.cached_blocks);
    }
}

BOOST_AUTO_TEST_SUITE_END()
