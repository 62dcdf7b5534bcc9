#include <boost/test/unit_test.hpp>

#include "agent/kinds/memory_kinds.hpp"
#include "agent/memories.hpp"
#include "store/sqlite_fixture.hpp"

#include <weft/async/run_blocking.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(memory_kinds_test)

using namespace weft_tests::tool_agents;

namespace {

/** A file with keys `user`, `fact`, `found` and `list`, a memory, and one node. */
std::string file_with(std::string_view node, std::string_view memory = "'memory': {'scope': ['users', '{user}']}, ")
{
    return std::string{memory} +
           "'state': [{'name': 'user', 'type': 'string'}, {'name': 'fact', 'type': 'any'}, "
           "{'name': 'found', 'type': 'string'}, {'name': 'list', 'type': 'list'}, {'name': 'n', 'type': 'integer'}], "
           "'nodes': [{'name': 'm', " + std::string{node} + "}], 'edges': [{'from': '__start__', 'to': 'm'}]";
}

constexpr std::string_view keeps = "'kind': 'remember', 'settings': {'name': 'city', 'key': 'fact'}";
constexpr std::string_view finds =
    "'kind': 'recall', 'writes': ['found'], 'settings': {'query': 'where is {user}'}";

std::string problem(std::string_view node, std::string_view memory = "")
{
    return all_mistakes(file_with(node, memory), registry_with(nullptr));
}

}  // namespace

BOOST_AUTO_TEST_CASE(M1_files_remember_recall_and_forget_without_a_model)
{
    shared_memory memory;
    const weft::node_registry registry = registry_with(nullptr);
    const auto as = [](const char* user, boost::json::value fact = nullptr) {
        return boost::json::object{{"user", user}, {"fact", std::move(fact)}};
    };
    BOOST_TEST(memory.run(file_with(keeps), registry, as("ada", "Ada is in Lima")).message() == "finished");
    BOOST_TEST(memory.run(file_with(keeps), registry, as("bob", "Bob is in Oslo")).message() == "finished");
    BOOST_TEST(memory.all() == "users/ada/city=\"Ada is in Lima\" users/bob/city=\"Bob is in Oslo\"");
    const weft::run_result found = memory.run(file_with(finds), registry, as("ada"));
    BOOST_TEST(value_of(found, "found").as_string() == "city: Ada is in Lima\n");
    const weft::run_result one = memory.run(
        file_with("'kind': 'recall', 'writes': ['fact'], 'settings': {'name': 'city'}"), registry, as("bob"));
    BOOST_TEST(value_of(one, "fact").as_string() == "Bob is in Oslo");
    const weft::run_result list = memory.run(
        file_with("'kind': 'recall', 'writes': ['list'], 'settings': {'prefix': 'ci'}"), registry, as("bob"));
    BOOST_TEST(value_of(list, "list").at(0).at("name").as_string() == "city");
    BOOST_TEST(value_of(list, "list").at(0).at("value").as_string() == "Bob is in Oslo");
    const std::string forget = file_with("'kind': 'forget', 'settings': {'name': 'city'}");
    BOOST_TEST(memory.run(forget, registry, as("ada")).message() == "finished");
    BOOST_TEST(memory.run(forget, registry, as("ada")).message() == "finished");
    BOOST_TEST(memory.all() == "users/bob/city=\"Bob is in Oslo\"");
}

BOOST_AUTO_TEST_CASE(M1_a_memory_can_be_that_of_a_thread)
{
    shared_memory memory;
    const weft::node_registry registry = registry_with(nullptr);
    const std::string file = file_with("'kind': 'remember', 'settings': {'name': 'x', 'text': 'of {user}'}",
                                       "'memory': {'scope': ['{__thread__}']}, ");
    BOOST_TEST(memory.run(file, registry, {{"user", "ada"}}, "t-1").message() == "finished");
    BOOST_TEST(memory.all() == "t-1/x=\"of ada\"");
    BOOST_TEST(memory.run(file, registry, {{"user", "ada"}}).message().find("has no thread") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(M1_values_of_a_memory_have_an_end)
{
    shared_memory memory;
    const weft::node_registry registry = registry_with(nullptr);
    const std::string file = file_with(keeps, "'memory': {'scope': ['a'], 'keep_for': '1h'}, ");
    (void)memory.run(file, registry, {{"fact", 1}});
    memory.sim.clock().advance(std::chrono::minutes{59});
    BOOST_TEST(memory.all() == "a/city=1");
    memory.sim.clock().advance(std::chrono::minutes{1});
    BOOST_TEST(memory.all() == "");
}

BOOST_AUTO_TEST_CASE(M1_nothing_is_kept_for_a_user_who_is_not_known)
{
    shared_memory memory;
    const weft::node_registry registry = registry_with(nullptr);
    const weft::run_result unknown = memory.run(file_with(keeps), registry, {{"fact", "x"}});
    BOOST_TEST((unknown.why->code == weft::errc::missing_state_value));
    const weft::run_result empty = memory.run(file_with(keeps), registry, {{"user", ""}, {"fact", "x"}});
    BOOST_TEST((empty.why->code == weft::errc::state_conversion));
    BOOST_TEST(memory.all() == "");
}

BOOST_AUTO_TEST_CASE(M1_a_graph_inside_uses_the_memory_of_its_node)
{
    shared_memory memory;
    const weft::node_registry registry = registry_with(nullptr);
    const std::string inner =
        "{'name': 'inner', 'memory': {'scope': ['notes']}, 'state': [{'name': 'fact', 'type': 'any'}], 'nodes': "
        "[{'name': 'k', 'kind': 'remember', 'settings': {'name': 'x', 'key': 'fact'}}], "
        "'edges': [{'from': '__start__', 'to': 'k'}]}";
    const std::string file = file_with("'kind': 'subgraph', 'settings': {'graph': " + inner + "}");
    BOOST_TEST(memory.run(file, registry, {{"user", "ada"}, {"fact", 1}}).message() == "finished");
    BOOST_TEST(memory.all() == "users/ada/notes/x=1");
}

BOOST_AUTO_TEST_CASE(M1_a_memory_in_sqlite_outlives_the_process)
{
    const sqlite_tests::store_file file{"memory-kinds"};
    const weft::node_registry registry = registry_with(nullptr);
    const weft::loaded_graph keeping = weft::load_graph(spec_text(file_with(keeps)), registry);
    const weft::loaded_graph finding = weft::load_graph(spec_text(file_with(finds)), registry);
    struct steps {
        static weft::task<weft::run_result> run(weft::sqlite_options where, weft::graph what, boost::json::object input)
        {
            auto opening = weft::sqlite_store::open(std::move(where));
            const std::shared_ptr<weft::sqlite_store> store = co_await std::move(opening);
            weft::run_options options;
            options.memory(std::make_shared<const weft::item_space>(store, "acme"));
            const weft::engine engine{what};
            auto running = engine.run(weft::run_request{}.input(std::move(input)).options(std::move(options)));
            weft::run_result result = co_await std::move(running);
            co_return result;
        }
    };
    const weft::run_result kept = weft::run_blocking(
        steps::run(file.options(), keeping.what, {{"user", "ada"}, {"fact", "Ada is in Lima"}}));
    BOOST_TEST(kept.message() == "finished");
    const weft::run_result found = weft::run_blocking(steps::run(file.options(), finding.what, {{"user", "ada"}}));
    BOOST_TEST(value_of(found, "found").as_string() == "city: Ada is in Lima\n");
}

BOOST_AUTO_TEST_CASE(M1_mistakes_of_memory_are_told_where_they_are)
{
    const auto has = [](const std::string& all, std::string_view part) { return all.find(part) != all.npos; };
    BOOST_TEST(has(problem("'kind': 'remember', 'settings': {'name': 'x'}"), "give \"text\" or \"key\""));
    BOOST_TEST(has(problem("'kind': 'remember', 'settings': {'key': 'fakt'}"), "$.nodes[0].settings.key"));
    BOOST_TEST(has(problem("'kind': 'remember', 'settings': {'text': '{usr}'}"), "there is no key 'usr'"));
    BOOST_TEST(has(problem("'kind': 'recall', 'settings': {}"), "goes to one key"));
    BOOST_TEST(has(problem("'kind': 'recall', 'writes': ['n'], 'settings': {}"), "string, list or any"));
    BOOST_TEST(has(problem("'kind': 'recall', 'writes': ['n'], 'settings': {'name': 'a', 'query': 'b'}"),
                   "keep one of them"));
    BOOST_TEST(problem("'kind': 'recall', 'writes': ['n'], 'settings': {'name': 'a'}") == "");
    BOOST_TEST(has(problem("'kind': 'forget', 'settings': {}"), "name"));
    const auto scope = [&](std::string_view names) {
        return problem(keeps, "'memory': {'scope': [" + std::string{names} + "]}, ");
    };
    BOOST_TEST(has(scope("'users', '{usr}'"), "$.memory.scope[1]: there is no key 'usr'"));
    BOOST_TEST(has(scope("''"), "is empty"));
    BOOST_TEST(has(scope("'user-{user}'"), "{key} alone"));
    BOOST_TEST(scope("'a', '{user}', '{__thread__}'") == "");
}

BOOST_AUTO_TEST_CASE(M1_memory_survives_reading_and_writing)
{
    const weft::node_registry registry = registry_with(nullptr);
    const weft::loaded_graph loaded = weft::load_graph(
        spec_text(file_with("'kind': 'remember', 'settings': {'name': 'x', 'key': 'fact', 'keep_for': '2h'}",
                            "'memory': {'scope': ['users', '{user}'], 'items_max': 5, 'keep_for': '1h'}, ")),
        registry);
    const weft::graph_spec written = weft::spec_of(loaded.what, registry);
    BOOST_TEST((written.memory == loaded.spec.memory));
    BOOST_TEST((written.nodes.at(0).settings == loaded.spec.nodes.at(0).settings));
    BOOST_TEST(survives_writing(file_with(finds), registry));
}

BOOST_AUTO_TEST_SUITE_END()
