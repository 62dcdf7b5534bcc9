#include <boost/test/unit_test.hpp>

#include "graph/node/graph_keys.hpp"
#include "graph/spec_samples.hpp"

#include <weft/graph/expression.hpp>
#include <weft/graph/graph_spec_writer.hpp>
#include <weft/graph/node/subgraph.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(graph_spec_writer_test)

namespace {

std::string text_of(const std::filesystem::path& path)
{
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
}

/** Specs of every shape that reading takes, whether they make sense or not. */
class random_spec {
public:
    explicit random_spec(std::uint32_t seed) : random_{seed} {}

    weft::graph_spec make()
    {
        weft::graph_spec spec;
        spec.name = text();
        spec.description = text();
        spec.defaults = choice<weft::spec_defaults>(2);
        spec.routing = choice<weft::routing>(2);
        spec.conflict = choice<weft::conflict_strategy>(4);
        fill(spec.state, [&](auto& key) { fill_key(key); });
        fill(spec.nodes, [&](auto& node) { fill_node(node); });
        fill(spec.edges, [&](auto& edge) { fill_edge(edge); });
        fill(spec.fan_outs, [&](auto& fan_out) { fill_fan_out(fan_out); });
        maybe(spec.goal, [&](auto& goal) { fill_goal(goal); });
        maybe(spec.limits.steps_max, [&](auto& count) { count = number(); });
        maybe(spec.limits.budget, [&](auto& budget) {
            maybe(budget.tokens, [&](auto& count) { count = number(); });
            maybe(budget.usd, [&](auto& amount) { amount = 0.25; });
        });
        maybe(spec.limits.at_limit, [&](auto& action) { action = choice<weft::spec_limit_action>(4); });
        maybe(spec.limits.elapsed_max, [&](auto& span) { span = duration(); });
        if (coin()) fill_server(spec.mcp[text()]);
        fill(spec.entry_points, [&](auto& entry) { fill_entry_point(entry); });
        return spec;
    }

private:
    void fill_entry_point(weft::entry_point_spec& entry)
    {
        entry.id = text();
        maybe(entry.timer, [&](auto& timer) {
            timer.cron = text();
            timer.time_zone = text();
            maybe(timer.every, [&](auto& span) { span = duration(); });
        });
        maybe(entry.webhook, [&](auto& hook) {
            hook.path = text();
            hook.secret_env = text();
        });
        if (coin()) entry.input[text()] = text();
    }
    void fill_server(weft::mcp_spec& server)
    {
        if (coin()) server.command = {text(), text()};
        if (coin()) server.environment[text()] = text();
        server.url = text();
        if (coin()) server.headers[text()] = text();
        maybe(server.oauth, [&](auto& oauth) {
            oauth.grant = choice<weft::mcp_oauth_grant>(2);
            oauth.client_id = text();
            if (coin()) oauth.scopes = {text()};
        });
        if (coin()) server.tools = {text()};
        maybe(server.timeout, [&](auto& span) { span = duration(); });
    }
    std::uint32_t number() { return random_() % 5 == 0 ? static_cast<std::uint32_t>(random_()) : random_() % 10; }
    bool coin() { return random_() % 2 == 0; }
    std::string text()
    {
        static constexpr std::string_view parts[] = {"", "a", "Zürich \u2603", "\"", "\\", "\n", "$.x", "0 < 1"};
        return std::string{parts[random_() % std::size(parts)]} + std::string{parts[random_() % std::size(parts)]};
    }
    double real() { return static_cast<double>(static_cast<std::int32_t>(random_())) / (1 + random_() % 1000); }
    weft::spec_duration duration()
    {
        static constexpr std::int64_t units[] = {1, 1'000, 1'000'000, 1'000'000'000, 60'000'000'000, 3'600'000'000'000};
        return std::chrono::nanoseconds{static_cast<std::int64_t>(random_() % 100'000) * units[random_() % 6]};
    }
    boost::json::value json(int depth = 0)
    {
        switch (random_() % (depth < 3 ? 8 : 6)) {
        case 0: return nullptr;
        case 1: return coin();
        case 2: return static_cast<std::int64_t>(random_()) - 2'000'000'000;
        case 3: return real();
        case 4: return boost::json::value(text());
        case 5: return boost::json::array{};
        case 6: return boost::json::array{json(depth + 1), json(depth + 1)};
        default: return boost::json::object{{text() + "1", json(depth + 1)}, {text() + "2", json(depth + 1)}};
        }
    }
    template <class E>
    E choice(unsigned count)
    {
        return static_cast<E>(random_() % count);
    }
    template <class T, class Fill>
    void fill(std::vector<T>& items, Fill fill_one)
    {
        for (std::uint32_t count = random_() % 4; count > 0; --count) fill_one(items.emplace_back());
    }
    template <class T, class Fill>
    void maybe(std::optional<T>& item, Fill fill_one)
    {
        if (coin()) fill_one(item.emplace());
    }
    std::vector<std::string> texts()
    {
        std::vector<std::string> result;
        fill(result, [&](std::string& item) { item = text(); });
        return result;
    }
    std::map<std::string, std::string> map() { return coin() ? decltype(map()){} : decltype(map()){{text(), text()}}; }

    void fill_key(weft::key_spec& key)
    {
        key = {text(), text(), choice<weft::spec_reducer>(6), {}, {}, text()};
        maybe(key.initial, [&](auto& value) { value = json(); });
        maybe(key.conflict, [&](auto& conflict) { conflict = choice<weft::conflict_strategy>(4); });
    }
    void fill_node(weft::node_spec& node)
    {
        node.name = text();
        if (coin()) node.kind = text();
        node.settings = boost::json::object{{"x", json()}};
        maybe(node.reads, [&](auto& keys) { keys = texts(); });
        maybe(node.writes, [&](auto& keys) { keys = texts(); });
        node.outputs = {coin(), texts(), coin() ? 50'000 : ~std::uint64_t{0}, text(), {}};
        if (coin()) node.outputs.schemas = {{text(), json()}};
        maybe(node.retry, [&](auto& retry) {
            retry = {static_cast<std::int32_t>(number()), duration(), real(), duration(), choice<weft::jitter>(2),
                texts()};
        });
        maybe(node.timeout, [&](auto& span) { span = duration(); });
        maybe(node.idle_max, [&](auto& span) { span = duration(); });
        node.visits_max = number();
        node.pauses = choice<weft::pause_point>(4);
        node.clears = texts();
        node.goes_to = texts();
        maybe(node.routing, [&](auto& routing) { routing = choice<weft::routing>(2); });
        node.deferred = coin();
        node.feedback = coin();
        node.client_facing = coin();
        node.description = text();
    }
    void fill_edge(weft::edge_spec& edge)
    {
        edge = {text(), text(), {}, text(), choice<weft::edge_after>(3), text(), static_cast<std::int32_t>(number()),
            map(), coin(), texts(), text(), text(), {}};
        maybe(edge.kind, [&](auto& kind) { kind = choice<weft::spec_edge_kind>(7); });
        maybe(edge.timeout, [&](auto& span) { span = duration(); });
    }
    void fill_fan_out(weft::fan_out_spec& fan_out)
    {
        fan_out = {text(), text(), choice<weft::spec_policy>(5), number(), number(), {}, {}, text()};
        maybe(fan_out.branch_timeout, [&](auto& span) { span = duration(); });
        maybe(fan_out.conflict, [&](auto& conflict) { conflict = choice<weft::conflict_strategy>(4); });
    }
    void fill_goal(weft::goal_spec& goal)
    {
        goal = {text(), text(), {}, {}, real()};
        fill(goal.criteria, [&](auto& item) { item = {text(), text(), real(), text()}; });
        fill(goal.constraints, [&](auto& item) { item = {text(), text(), coin(), text()}; });
    }

    std::mt19937 random_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_written_reads_as_the_same)
{
    for (std::uint32_t seed = 0; seed < 500; ++seed) {
        const weft::graph_spec spec = random_spec{seed}.make();
        const std::string text = weft::to_text(spec);
        BOOST_TEST_CONTEXT("seed " << seed << ": " << text) {
            const weft::graph_spec read = weft::read_graph_spec(text);
            BOOST_REQUIRE((read == spec));
            BOOST_REQUIRE(weft::to_text(read) == text);
        }
    }
}

BOOST_AUTO_TEST_CASE(samples_survive_a_round)
{
    for (const auto& entry : std::filesystem::directory_iterator{graph_samples()}) {
        const weft::graph_spec spec = weft::read_graph_spec(text_of(entry.path()), {.file = entry.path().string()});
        BOOST_TEST((weft::read_graph_spec(weft::to_text(spec)) == spec), entry.path());
        BOOST_TEST(weft::to_text(spec).find("visits_max\": 0") == std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(texts_are_laid_out_for_people)
{
    const weft::graph_spec spec = weft::read_graph_spec(text_of(graph_samples() / "hello.json"));
    BOOST_TEST(weft::to_text(spec) == R"({
  "name": "hello",
  "state": [
    {"name": "who", "type": "string", "initial": "world"},
    {"name": "text", "type": "string"}
  ],
  "nodes": [
    {
      "name": "greet",
      "kind": "set",
      "settings": {"expressions": {"text": "'Hello, ' + who + '!'"}}
    }
  ],
  "edges": [{"from": "__start__", "to": "greet"}]
}
)");
}

BOOST_AUTO_TEST_CASE(a_graph_of_a_file_says_itself_again)
{
    const weft::node_registry registry = sample_registry();
    for (const std::string name : {"hello", "triage", "review_loop", "report", "section", "batch"}) {
        const weft::loaded_graph loaded = weft::load_graph_file(graph_samples() / (name + ".json"), registry);
        const weft::graph_spec said = weft::spec_of(loaded.what, registry);
        BOOST_TEST_CONTEXT(weft::to_text(said)) {
            const weft::loaded_graph again = weft::load_graph(said, registry);
            BOOST_TEST(again.what.explain() == loaded.what.explain());
            BOOST_TEST((weft::spec_of(again.what, registry) == said));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_cpp_graph_says_itself_as_far_as_it_has_names)
{
    weft::node_registry registry;
    registry.add_function("search", [] {}).add_function("b", [] {});
    const weft::state_key<weft::spec_duration> odd{"odd", weft::transient};
    const auto build = [&](auto&& unnamed) {
        return weft::graph_builder{"mixed"}
            .state(score, total, notes, odd)
            .initial(score, 7)
            .node("a", registry.function("search"), {.visits_max = 3})
            .node("b", registry.function("b"), {.retry = {.attempts_max = 3}, .timeout = std::chrono::seconds{20}})
            .node("c", unnamed)
            .edge(weft::start, "a")
            .edge("a", "b").edge("a", "c")
            .edge_when("b", "a", [](const weft::state_view&) { return false; }, {.label = "again"})
            .edge("b", weft::end)
            .fan_out("a", {.on_failure = weft::branch_policy::quorum(2)})
            .build();
    };
    const weft::graph_spec spec = weft::spec_of(build([] {}), registry);
    BOOST_TEST(spec.nodes[0].settings.at("function").as_string() == "search");
    BOOST_TEST(spec.nodes[1].settings.empty());
    BOOST_TEST((spec.nodes[1].timeout == weft::spec_duration{std::chrono::seconds{20}}));
    BOOST_TEST(spec.nodes[1].retry->attempts_max == 3);
    BOOST_TEST((spec.state[0] == weft::key_spec{.name = "score", .type = "integer", .initial = 7}));
    BOOST_TEST((spec.state[1].reducer == weft::spec_reducer::add));
    BOOST_TEST(spec.state[2].type == weft::unnamed_type);
    BOOST_TEST(spec.fan_outs.at(0).quorum == 2u);
    const auto found = mistakes_in(weft::to_text(spec), registry);
    const auto told = [&](std::string_view part) {
        return std::any_of(found.begin(), found.end(), [&](auto& text) { return text.find(part) != text.npos; });
    };
    BOOST_TEST(found.size() == 4u);
    BOOST_TEST(told("$.nodes[2].settings.function: is a function of a C++ program that has no name"));
    BOOST_TEST(told("when: is a condition of a C++ program"));
    BOOST_TEST(told("$.state[2].type: is a type of a C++ program that has no name"));
}

BOOST_AUTO_TEST_CASE(a_condition_that_is_text_is_written)
{
    weft::node_registry registry;
    registry.add_function("search", [] {});
    const weft::graph built = weft::graph_builder{"texts"}
                                  .state(total)
                                  .node("a", registry.function("search"))
                                  .node("b", registry.function("search"))
                                  .edge(weft::start, "a")
                                  .edge_when("a", "b", "total > 1")
                                  .edge_when("a", "a", weft::expression::compile("total > 2"), {.label = "again"})
                                  .edge_when("a", weft::end, "")
                                  .build();
    const weft::graph_spec spec = weft::spec_of(built, registry);
    BOOST_TEST(spec.edges.at(1).when == "total > 1");
    BOOST_TEST(spec.edges[1].label == "");
    BOOST_TEST(spec.edges[2].when == "total > 2");
    BOOST_TEST(spec.edges[2].label == "again");
    BOOST_TEST(spec.edges[3].when == "True");
}

BOOST_AUTO_TEST_CASE(X_6_functions_beside_a_graph_inside_become_placeholders)
{
    weft::node_registry registry;
    registry.add_function("a", [] {});
    const auto inner = [&registry] {
        weft::graph_builder builder{"inner"};
        builder.state(total).node("a", registry.function("a")).edge(weft::start, "a");
        return builder.build();
    };
    const auto settings_of = [&](weft::subgraph inside) {
        const weft::graph outer = weft::graph_builder{"outer"}
                                      .state(total).node("in", std::move(inside)).edge(weft::start, "in").build();
        return weft::spec_of(outer, registry);
    };
    const auto takes = [](const weft::state&, weft::node_context&) { return weft::command::next(); };
    const auto gives = [](const weft::node_context&) { return weft::state_update{}; };
    const weft::graph_spec both = settings_of(weft::subgraph{.graph = inner(),
                                                             .make_inputs = gives,
                                                             .take_outputs = takes});
    for (const std::string_view member : {"inputs", "outputs"})
        BOOST_TEST(both.nodes[0].settings.at(member).at(weft::unnamed_function).as_string() == weft::unnamed_function);
    const weft::graph_spec mapped = settings_of(weft::subgraph{.graph = inner(),
                                                               .outputs = {{"total", "total"}},
                                                               .take_outputs = takes});
    BOOST_TEST(mapped.nodes[0].settings.at("outputs").as_object().size() == 2u);
    const auto found = mistakes_in(weft::to_text(mapped), registry);
    BOOST_TEST(std::any_of(found.begin(), found.end(), [](const std::string& text) {
        return text.find("is a function of a C++ program, which a file cannot hold") != text.npos;
    }));
}

BOOST_AUTO_TEST_CASE(X_6_what_a_graph_inside_does_at_its_limit_is_kept)
{
    weft::node_registry registry;
    registry.add_function("a", [] {});
    weft::graph inner = weft::graph_builder{"inner"}.node("a", registry.function("a")).edge(weft::start, "a").build();
    const weft::graph outer =
        weft::graph_builder{"outer"}
            .node("in", weft::subgraph{.graph = std::move(inner), .at_limit = weft::step_limit_action::return_last})
            .edge(weft::start, "in")
            .build();
    const weft::loaded_graph again = weft::load_graph(weft::to_text(weft::spec_of(outer, registry)), registry);
    const weft::subgraph* const inside = again.what.node(1).body->inner();
    BOOST_REQUIRE(inside);
    BOOST_TEST((inside->at_limit == weft::step_limit_action::return_last));
}

BOOST_AUTO_TEST_CASE(HIV_49_pauses_of_nodes_are_kept)
{
    weft::node_registry registry;
    registry.add_function("work", [] {});
    for (const weft::pause_point where : {weft::pause_point::never, weft::pause_point::before,
                                          weft::pause_point::after, weft::pause_point::both}) {
        const weft::graph built = weft::graph_builder{"pausing"}
                                      .node("work", registry.function("work"), {.pauses = where})
                                      .edge(weft::start, "work").build();
        const weft::graph_spec spec = weft::spec_of(built, registry);
        const weft::loaded_graph again = weft::load_graph(weft::to_text(spec), registry);
        BOOST_TEST((again.what.node(1).pauses == where));
        BOOST_TEST((weft::spec_of(again.what, registry) == spec));
    }
}

BOOST_AUTO_TEST_CASE(HIV_52_the_model_of_a_decision_is_kept)
{
    weft::node_registry registry;
    registry.add_function("work", [] {});
    const weft::graph built = weft::graph_builder{"deciding"}
                                  .node("work", registry.function("work")).node("b", registry.function("work"))
                                  .edge(weft::start, "work")
                                  .edge_llm("work", {"b"}, {.fallback = "b", .model = "fast"}).build();
    const weft::loaded_graph again = weft::load_graph(weft::to_text(weft::spec_of(built, registry)), registry);
    BOOST_TEST(again.what.node(1).decision->model == "fast");
    const auto found = mistakes_in("{\"name\": \"x\", \"nodes\": [{\"name\": \"work\"}], \"edges\": "
                                   "[{\"from\": \"__start__\", \"to\": \"work\", \"model\": \"fast\"}]}", registry);
    BOOST_REQUIRE(found.size() == 1u);
    BOOST_TEST(found[0].find("$.edges[0].model: belongs to an edge of the kind 'llm' only") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(durations_are_written_in_their_largest_unit)
{
    using weft::spec_duration;
    for (const std::string text : {"0s", "1ns", "1500ms", "20s", "90s", "2m", "24h", "61m"})
        BOOST_TEST(spec_duration::parse(text)->text() == text);
    BOOST_TEST(spec_duration::parse("120s")->text() == "2m");
    for (const std::string text : {"", "20", "s", "-1s", "1.5s", "20 s", "20S", "9999999999h", "20sec",
        "99999999999999999999s"})
        BOOST_TEST(!spec_duration::parse(text), text);
}

BOOST_AUTO_TEST_SUITE_END()
