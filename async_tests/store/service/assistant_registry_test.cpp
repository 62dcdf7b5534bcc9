#include <boost/test/unit_test.hpp>

#include <weft/base/json.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/store/service/assistant_registry.hpp>
#include <weft/testing/simulation.hpp>

BOOST_AUTO_TEST_SUITE(assistant_registry_test)

namespace {

using weft::assistant;
using weft::task;

assistant assistant_named(std::string id, std::string metadata = "{}")
{
    assistant made;
    made.tenant = "acme";
    made.id = std::move(id);
    made.graph = "research";
    made.name = "Researcher";
    made.config = R"({"model": "small"})";
    made.metadata = std::move(metadata);
    return made;
}

class registry_world {
public:
    weft::memory_store store{weft::hash_key{}};
    weft::assistant_registry registry{store.service().documents()};
    weft::testing::simulation sim{1};
};

}  // namespace

BOOST_AUTO_TEST_CASE(an_assistant_is_made_once)
{
    registry_world w;
    BOOST_TEST(w.sim.run(w.registry.create(assistant_named("a"))));
    BOOST_TEST(!w.sim.run(w.registry.create(assistant_named("a"))));
    const auto found = w.sim.run(w.registry.find("acme", "a"));
    BOOST_REQUIRE(found);
    BOOST_TEST(found->graph == "research");
    BOOST_TEST(found->name == "Researcher");
    BOOST_TEST(found->config == R"({"model":"small"})");
    BOOST_TEST(found->version == 1u);
    BOOST_TEST(!w.sim.run(w.registry.find("other", "a")));
}

BOOST_AUTO_TEST_CASE(each_change_is_a_version_and_any_can_be_used)
{
    registry_world w;
    BOOST_TEST(w.sim.run(w.registry.create(assistant_named("a"))));
    assistant changed = assistant_named("a");
    changed.name = "Second";
    const auto second = w.sim.run(w.registry.update(changed));
    BOOST_REQUIRE(second);
    BOOST_TEST(second->version == 2u);
    const auto first = w.sim.run(w.registry.use_version("acme", "a", 1));
    BOOST_REQUIRE(first);
    BOOST_TEST(first->name == "Researcher");
    changed.name = "Third";
    const auto third = w.sim.run(w.registry.update(changed));
    BOOST_REQUIRE(third);
    BOOST_TEST(third->version == 3u);
    const auto versions = w.sim.run(w.registry.versions("acme", "a", 10));
    BOOST_REQUIRE(versions.size() == 3u);
    BOOST_TEST(versions[0].name == "Third");
    BOOST_TEST(versions[2].name == "Researcher");
    BOOST_TEST(!w.sim.run(w.registry.use_version("acme", "a", 9)));
    BOOST_TEST(!w.sim.run(w.registry.update(assistant_named("unknown"))));
}

BOOST_AUTO_TEST_CASE(what_was_found_is_given_back_until_it_changes)
{
    registry_world w;
    const auto again = [&w](std::string id, std::shared_ptr<const weft::found_assistant> before) {
        return w.sim.run(w.registry.find_again("acme", std::move(id), std::move(before)));
    };
    BOOST_TEST(!again("a", nullptr));
    BOOST_TEST(w.sim.run(w.registry.create(assistant_named("a"))));
    BOOST_TEST(w.sim.run(w.registry.create(assistant_named("b"))));
    const auto first = again("a", nullptr);
    BOOST_REQUIRE(first);
    BOOST_TEST(first->name == "Researcher");
    BOOST_TEST((again("a", first) == first));
    BOOST_TEST(again("b", first)->id == "b");  // the text is the same
    assistant changed = assistant_named("a");
    changed.name = "Second";
    BOOST_REQUIRE(w.sim.run(w.registry.update(changed)));
    const auto second = again("a", first);
    BOOST_TEST(second->name == "Second");
    // One of the same id that is made anew, at the same moment.
    BOOST_TEST(w.sim.run(w.registry.erase("acme", "a")));
    BOOST_TEST(!again("a", second));
    changed.graph = "chat";
    BOOST_TEST(w.sim.run(w.registry.create(changed)));
    BOOST_TEST(again("a", second)->graph == "chat");
}

BOOST_AUTO_TEST_CASE(assistants_are_found_by_graph_and_metadata)
{
    registry_world w;
    BOOST_TEST(w.sim.run(w.registry.create(assistant_named("a", R"({"team": "blue"})"))));
    assistant other = assistant_named("b", R"({"team": "red"})");
    other.graph = "chat";
    BOOST_TEST(w.sim.run(w.registry.create(other)));
    weft::assistant_query query;
    query.metadata_contains = R"({"team": "blue"})";
    BOOST_TEST(w.sim.run(w.registry.count(query)) == 1u);
    const auto page = w.sim.run(w.registry.search(query));
    BOOST_REQUIRE(page.assistants.size() == 1u);
    BOOST_TEST(page.assistants[0].id == "a");
    query = {};
    query.graph = "chat";
    const auto chats = w.sim.run(w.registry.search(query));
    BOOST_REQUIRE(chats.assistants.size() == 1u);
    BOOST_TEST(chats.assistants[0].id == "b");
}

BOOST_AUTO_TEST_CASE(an_erased_assistant_takes_its_versions_with_it)
{
    registry_world w;
    BOOST_TEST(w.sim.run(w.registry.create(assistant_named("a"))));
    BOOST_TEST(w.sim.run(w.registry.update(assistant_named("a"))).has_value());
    BOOST_TEST(w.sim.run(w.registry.erase("acme", "a")));
    BOOST_TEST(!w.sim.run(w.registry.erase("acme", "a")));
    BOOST_TEST(w.sim.run(w.registry.versions("acme", "a", 10)).empty());
    BOOST_TEST(w.sim.run(w.registry.create(assistant_named("a"))));
    BOOST_TEST(w.sim.run(w.registry.find("acme", "a"))->version == 1u);
}

BOOST_AUTO_TEST_CASE(versions_that_a_crash_left_behind_are_not_those_of_the_next_assistant)
{
    registry_world w;
    BOOST_TEST(w.sim.run(w.registry.create(assistant_named("a"))));
    for (int i = 0; i < 2; ++i) BOOST_TEST(w.sim.run(w.registry.update(assistant_named("a"))).has_value());
    // What `erase` does first; then the process ended.
    std::vector<weft::document_change> erased(1);
    erased[0].key = {"assistant", "acme", "a"};
    BOOST_TEST(w.sim.run(w.store.service().documents().write(erased)));
    BOOST_TEST(w.sim.run(w.registry.versions("acme", "a", 10)).empty());

    BOOST_TEST(w.sim.run(w.registry.create(assistant_named("a"))));
    const auto made_again = w.sim.run(w.registry.versions("acme", "a", 10));
    BOOST_REQUIRE(made_again.size() == 1u);
    BOOST_TEST(made_again[0].version == 1u);
    BOOST_TEST(!w.sim.run(w.registry.use_version("acme", "a", 3)));
    BOOST_TEST(w.sim.run(w.registry.update(assistant_named("a")))->version == 2u);
    const auto changed = w.sim.run(w.registry.versions("acme", "a", 1));
    BOOST_REQUIRE(changed.size() == 1u);
    BOOST_TEST(changed[0].version == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
