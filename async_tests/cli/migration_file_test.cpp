#include "files.hpp"
#include "graph/migration_file.hpp"
#include "graph/run_input.hpp"

#include <weft/engine/checkpoint/graph_fingerprint.hpp>
#include <weft/graph/graph_builder.hpp>

#include <boost/test/unit_test.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(migration_file_test)

namespace {

constexpr weft::state_key<std::string> topic{"topic"};
constexpr weft::state_key<std::string> subject{"subject"};
constexpr weft::state_key<std::string> scratch{"scratch"};

weft::graph before()
{
    return weft::graph_builder{"g"}.state(topic, scratch).node("web", [] {}).edge(weft::start, "web").build();
}
weft::graph now()
{
    return weft::graph_builder{"g"}.state(subject).node("search", [] {}).edge(weft::start, "search").build();
}

weft::graph_migration read(const std::string& text)
{
    const folder files{"migration"};
    return weft_cli::read_migration(files.write("m.json", json_text(text)), weft::graph_shape(before()), now());
}

std::string refusal(const std::string& text)
{
    try {
        (void)read(text);
    } catch (const weft_cli::usage_error& e) {
        return e.what();
    }
    return "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(nodes_and_keys_are_renamed_and_keys_forgotten)
{
    const auto by = read("{'nodes': {'web': 'search'}, 'keys': {'topic': 'subject', 'scratch': null}}");
    BOOST_TEST(by.from() == weft::graph_fingerprint(before()));
    BOOST_TEST(by.to() == weft::graph_fingerprint(now()));
    BOOST_TEST(by.new_node("web") == "search");
    BOOST_TEST(by.rule_of("topic")->name == "subject");
    BOOST_TEST(by.rule_of("scratch")->name == "");
}

BOOST_AUTO_TEST_CASE(a_name_that_no_graph_has_is_a_slip)
{
    BOOST_TEST(has(refusal("{'nodes': {'wep': 'search'}}"), "the older graph has no 'wep' (did you mean 'web'?)"));
    BOOST_TEST(has(refusal("{'nodes': {'web': 'serch'}}"), "the newer graph has no 'serch' (did you mean 'search'?)"));
    BOOST_TEST(has(refusal("{'keys': {'topic': 'topic'}}"), "the newer graph has no 'topic'"));
}

BOOST_AUTO_TEST_CASE(what_is_no_migration_is_refused)
{
    BOOST_TEST(has(refusal("{'node': {}}"), "did you mean 'nodes'?"));
    BOOST_TEST(has(refusal("[]"), "expected an object"));
    BOOST_TEST(has(refusal("{'nodes': {'web': null}}"), "cannot be forgotten"));
    BOOST_TEST(has(refusal("{'nodes': {'web': 3}}"), "as a text"));
    BOOST_TEST(has(refusal("{'nodes': ["), "m.json"));
    BOOST_CHECK_THROW((void)weft_cli::read_migration("/nowhere.json", weft::graph_shape(before()), now()),
                      weft_cli::usage_error);
}

BOOST_AUTO_TEST_SUITE_END()
