#include <weft/agent/prompt/prompt_template.hpp>

#include "engine/nodes.hpp"

#include <boost/test/unit_test.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(prompt_template_test)

namespace {

inline constexpr weft::state_key<std::string> name_key{"name"};
inline constexpr weft::state_key<double> share_key{"share"};
inline constexpr weft::state_key<std::shared_ptr<int>> cache_key{"cache", weft::transient};

/** What a template says in a node, or `code: detail` of its error. */
std::string filled(std::string_view text, weft::node_options options = {}, std::string* missing = nullptr)
{
    std::string result;
    const auto fill = [&](weft::node_context& context) {
        try {
            const weft::prompt_template::filled got = weft::prompt_template{text}.fill(context);
            result = got.text;
            for (const std::string& key : got.missing)
                if (missing) missing->append(key).append(" ");
        } catch (const weft::error& e) {
            result = std::string{weft::name_of(e.code())} + ": " + e.where() + ": " + e.detail();
        }
    };
    weft::graph_builder builder = empty_graph();
    builder.state(name_key, share_key, cache_key).node("a", fill, std::move(options)).edge(weft::start, "a");
    (void)simulate(builder.build(), weft::run_request{}
                                        .input(name_key, "Ada \"Countess\"")
                                        .input(share_key, 0.5)
                                        .input(words, "one")
                                        .input(cache_key, std::make_shared<int>(1)));
    return result;
}

bool says(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_CASE(texts_go_in_as_they_are_and_others_as_json)
{
    BOOST_TEST(filled("Dear {name}!") == "Dear Ada \"Countess\"!");
    BOOST_TEST(filled("{share} of {words}{name}") == "0.5 of [\"one\"]Ada \"Countess\"");
    BOOST_TEST(filled("no places") == "no places");
    BOOST_TEST(filled("") == "");
}

BOOST_AUTO_TEST_CASE(doubled_braces_are_braces)
{
    BOOST_TEST(filled(R"({{"a": {share}}})") == R"({"a": 0.5})");
    BOOST_TEST(filled("{{name}}") == "{name}");
    BOOST_TEST(filled("{{{name}}}") == "{Ada \"Countess\"}");
}

BOOST_AUTO_TEST_CASE(a_key_without_a_value_leaves_nothing_and_is_told_once)
{
    std::string missing;
    BOOST_TEST(filled("<{value}{value}{name}>", {}, &missing) == "<Ada \"Countess\">");
    BOOST_TEST(missing == "value ");
}

BOOST_AUTO_TEST_CASE(wrong_braces_are_all_told_with_their_places)
{
    const std::string told = filled("a {\nb } {\"x\": {}}");
    BOOST_TEST(told.starts_with("invalid_configuration: the template: line 1, column 3: a '{' must begin the name"));
    BOOST_TEST(says(told, "line 2, column 5: a '{' must begin"));
    BOOST_TEST(says(told, "line 2, column 11: a '{' must begin"));
    BOOST_TEST(says(told, "line 2, column 13: a '}' without its '{'"));
    BOOST_TEST(says(filled("end {"), "line 1, column 5"));
    BOOST_TEST(says(filled("end }"), "write '}}' for a brace"));
    BOOST_TEST(says(filled("{a: 1}"), "write '{{' for a brace"));
}

BOOST_AUTO_TEST_CASE(places_are_known_before_a_run)
{
    const weft::prompt_template parsed{"{a}\n  {b c} {a}"};
    BOOST_REQUIRE(parsed.places().size() == 3u);
    BOOST_TEST(parsed.places()[1].key == "b c");
    BOOST_TEST(parsed.places()[1].at.text() == "line 2, column 3");
    BOOST_TEST(weft::prompt_template{}.is_empty());
    BOOST_TEST(!parsed.is_empty());
}

BOOST_AUTO_TEST_CASE(keys_that_cannot_be_used_are_told_with_the_node)
{
    BOOST_TEST(filled("{nmae}").starts_with("unknown_state_key: node 'a', key 'nmae'"));
    const std::string refused = filled("{share}", {.reads = weft::keys(name_key)});
    BOOST_TEST(refused.starts_with("key_out_of_scope: node 'a', key 'share'"));
    BOOST_TEST(filled("{cache}").starts_with("state_conversion: node 'a', key 'cache'"));
}

BOOST_AUTO_TEST_SUITE_END()
