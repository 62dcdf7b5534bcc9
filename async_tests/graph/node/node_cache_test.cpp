#include <boost/test/unit_test.hpp>

#include "engine/nodes.hpp"
#include "graph/spec_samples.hpp"

#include <weft/engine/memory_journal.hpp>
#include <weft/engine/trace/run_log.hpp>
#include <weft/engine/trace/run_trace.hpp>
#include <weft/graph/graph_spec_writer.hpp>
#include <weft/store/memory_items.hpp>
#include <weft/store/node_results.hpp>

#include <stdexcept>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(node_cache_test)

namespace {

/** A node that doubles `other` into `value`, adds 1 to `total`, and counts how often it worked. */
weft::task<void> double_it(weft::node_context& context, int& worked)
{
    ++worked;
    co_await weft::sleep_for(1s);
    context.set(value, 2 * context.value_or(other, 0));
    context.set(total, 1);
}

weft::node_options cached(weft::node_cache_policy policy = {})
{
    weft::node_options options;
    options.reads = weft::keys(other);
    options.writes = weft::keys(value, total);
    policy.keys = policy.key ? std::nullopt : std::optional{weft::keys(other)};
    options.cache = std::move(policy);
    return options;
}

/** A graph of one node 'a' that counts its work. */
weft::graph doubling(int& worked, weft::node_options options = cached())
{
    weft::graph_builder builder = empty_graph();
    builder.node("a", [&worked](weft::node_context& context) { return double_it(context, worked); },
                 std::move(options));
    return builder.edge(weft::start, "a").edge("a", weft::end), builder.build();
}

weft::run_request of(std::int64_t number) { return weft::run_request{}.input(other, number); }

/** What the nodes of a run emitted as `cached`, one after another. */
struct heard {
    std::string text;
    [[nodiscard]] weft::run_request by(weft::run_request request)
    {
        request.on_event([this](const weft::run_event& event) {
            if (event.label == weft::cached_label) text.append(text.empty() ? "" : " / ").append(event.text);
        });
        return request;
    }
};

std::string mistake_of(const weft::graph_builder& builder)
{
    const auto built = builder.try_build();
    const auto* mistakes = std::get_if<std::vector<std::string>>(&built);
    return mistakes && mistakes->size() == 1 ? mistakes->front() : "not one mistake";
}

}  // namespace

BOOST_AUTO_TEST_CASE(M2_a_visit_that_reads_the_same_gets_the_result)
{
    int worked = 0;
    const weft::graph graph = doubling(worked);
    weft::testing::simulation sim{1};
    heard first, second, third;
    BOOST_TEST(run_in(sim, graph, first.by(of(4))).state.get(value) == 8);
    const auto before = sim.elapsed();
    const weft::run_result again = run_in(sim, graph, second.by(of(4)));
    BOOST_TEST(again.state.get(value) == 8);
    BOOST_TEST(again.state.get(total) == 1);
    BOOST_TEST((sim.elapsed() == before));
    BOOST_TEST(run_in(sim, graph, third.by(of(5))).state.get(value) == 10);
    BOOST_TEST(worked == 2);
    BOOST_TEST(first.text + "|" + second.text + "|" + third.text == "|hit|");
}

BOOST_AUTO_TEST_CASE(M2_a_result_is_kept_for_its_time)
{
    int worked = 0;
    const weft::graph graph = doubling(worked, cached({.keep_for = 10s}));
    weft::testing::simulation sim{1};
    (void)run_in(sim, graph, of(4));
    sim.clock().advance(9s);
    (void)run_in(sim, graph, of(4));
    BOOST_TEST(worked == 1);
    sim.clock().advance(1s);
    (void)run_in(sim, graph, of(4));
    BOOST_TEST(worked == 2);
}

BOOST_AUTO_TEST_CASE(M2_equal_visits_at_the_same_time_are_computed_once)
{
    int worked = 0;
    weft::graph_builder builder = empty_graph();
    builder.node("s", [](weft::node_context&) {
        std::vector<weft::send> items;
        for (const std::int64_t number : {3, 4, 3, 3}) items.push_back(weft::send{"a"}.input(other, number));
        return weft::command::fan_out(std::move(items));
    }, {.goes_to = {"a"}});
    builder.node("a", [&worked](weft::node_context& context) { return double_it(context, worked); }, cached());
    builder.node("z", [] {});
    builder.edge(weft::start, "s").edge("a", "z").conflict(value, weft::conflict_strategy::branch_order);
    const weft::graph graph = builder.build();
    heard said;
    weft::testing::simulation sim{1};
    const weft::run_result result = run_in(sim, graph, said.by({}));
    BOOST_TEST(worked == 2);
    BOOST_TEST(result.state.get(total) == 4);
    BOOST_TEST(said.text == "shared / shared");
    BOOST_TEST((sim.elapsed() < 2s));
}

BOOST_AUTO_TEST_CASE(M2_who_waits_takes_the_lead_of_one_that_is_stopped)
{
    int worked = 0;
    const weft::graph graph = doubling(worked);
    weft::testing::simulation sim{1};
    const weft::engine engine{graph};
    weft::testing::simulation::root first{sim, engine.run(of(4))};
    weft::testing::simulation::root second{sim, engine.run(of(4))};
    while (worked == 0) sim.step();
    first.request_stop();
    while (!second.has_ended()) sim.step();
    BOOST_TEST(second.take().state.get(value) == 8);
    BOOST_TEST(worked == 2);
}

BOOST_AUTO_TEST_CASE(M2_a_failure_is_shared_and_not_kept)
{
    int worked = 0;
    weft::graph_builder builder = empty_graph();
    const auto failing = [&worked](weft::node_context& context) {
        ++worked;
        if (worked <= 2) throw std::runtime_error{"on purpose"};
        context.set(value, 7);
    };
    weft::node_options options = cached();
    options.retry = {.attempts_max = 2, .initial = 1s, .jitter = weft::jitter::none};
    builder.node("a", failing, options).edge(weft::start, "a").edge("a", weft::end);
    const weft::graph graph = builder.build();
    weft::testing::simulation sim{1};
    BOOST_TEST((run_in(sim, graph).status == weft::run_status::failed));
    BOOST_TEST(worked == 2);
    BOOST_TEST(run_in(sim, graph).state.get(value) == 7);
    BOOST_TEST(run_in(sim, graph).state.get(value) == 7);
    BOOST_TEST(worked == 3);
}

BOOST_AUTO_TEST_CASE(M2_a_result_that_fails_its_check_is_replaced_by_the_next_attempt)
{
    int worked = 0;
    weft::graph_builder builder = empty_graph();
    weft::node_options options = cached();
    options.retry = {.attempts_max = 3, .initial = 1s, .jitter = weft::jitter::none};
    options.outputs.passes = [](const weft::node_context& context) {
        return std::string{context.value_or(value, 0) < 2 ? "too small" : ""};
    };
    builder.node("a", [&worked](weft::node_context& context) { context.set(value, ++worked); }, options);
    builder.edge(weft::start, "a").edge("a", weft::end);
    const weft::graph graph = builder.build();
    weft::testing::simulation sim{1};
    BOOST_TEST(run_in(sim, graph).state.get(value) == 2);
    BOOST_TEST(run_in(sim, graph).state.get(value) == 2);
    BOOST_TEST(worked == 2);
}

BOOST_AUTO_TEST_CASE(M2_what_did_more_than_write_is_not_kept)
{
    const auto runs = [](auto work) {
        weft::graph_builder builder = empty_graph();
        weft::node_options options = cached();
        options.goes_to = {"b"};
        builder.node("a", std::move(work), options).node("b", [] {});
        builder.edge(weft::start, "a").edge("a", weft::end);
        const weft::graph graph = builder.build();
        weft::testing::simulation sim{1};
        const auto items = std::make_shared<weft::memory_items>();
        const auto memory = std::make_shared<const weft::item_space>(items);
        std::string said;
        for (int i = 0; i < 2; ++i) {
            heard one;
            const weft::run_result result = run_in(sim, graph, one.by(with(weft::run_options{}.memory(memory))));
            BOOST_TEST(result.message() == "finished");
            said += one.text + "|";
        }
        return said;
    };
    const std::string more = "not kept: it asked, had an effect, used memory or stopped a sibling|";
    const std::string command = "not kept: it answered with a command|";
    BOOST_TEST(runs([](weft::node_context&) { return weft::command::go_to("b"); }) == command + command);
    BOOST_TEST(runs([](weft::node_context& context) { (void)context.memory(); }) == more + more);
    struct effects {
        static weft::task<void> charge(weft::node_context& context)
        {
            const auto nothing = [](const weft::effect_context&) { return std::int64_t{1}; };
            weft::task<std::int64_t> work = context.once("charge", nothing);
            context.set(value, co_await std::move(work));
        }
    };
    BOOST_TEST(runs([](weft::node_context& context) { return effects::charge(context); }) == more + more);
    // An answer that goes nowhere else is kept, with what it brings.
    BOOST_TEST(runs([](weft::node_context&) { return weft::command::next().set(value, 3); }) == "|hit|");
    BOOST_TEST(runs([](weft::node_context&) { return weft::state_update{}.set(value, 3); }) == "|hit|");
}

BOOST_AUTO_TEST_CASE(M2_the_key_says_what_is_the_same)
{
    int worked = 0;
    const auto by_parity = [](const weft::node_context& context) {
        return std::to_string(context.value_or(other, 0) % 2);
    };
    const weft::graph graph = doubling(worked, cached({.key = by_parity}));
    weft::testing::simulation sim{1};
    BOOST_TEST(run_in(sim, graph, of(1)).state.get(value) == 2);
    BOOST_TEST(run_in(sim, graph, of(3)).state.get(value) == 2);
    BOOST_TEST(run_in(sim, graph, of(4)).state.get(value) == 8);
    BOOST_TEST(worked == 2);
}

BOOST_AUTO_TEST_CASE(M2_without_names_the_whole_state_counts)
{
    int worked = 0;
    weft::node_options options;
    options.cache.emplace();
    const weft::graph graph = doubling(worked, options);
    weft::testing::simulation sim{1};
    (void)run_in(sim, graph, weft::run_request{}.input(words, std::string{"x"}));
    (void)run_in(sim, graph, weft::run_request{}.input(words, std::string{"x"}));
    BOOST_TEST(worked == 1);
    (void)run_in(sim, graph, weft::run_request{}.input(words, std::string{"y"}));
    BOOST_TEST(worked == 2);
}

BOOST_AUTO_TEST_CASE(M2_processes_share_results_by_a_store)
{
    const auto items = std::make_shared<weft::memory_items>();
    const auto cache_of_a_process = [&items] {
        return weft::node_cache{{.store = weft::node_results_in(weft::item_space{items, "acme", {"cache"}})}};
    };
    int worked = 0;
    weft::testing::simulation sim{1};
    std::string said;
    const auto run_there = [&](const weft::node_cache& where, std::string version) {
        heard one;
        const weft::graph graph =
            doubling(worked, cached({.keep_for = 1h, .version = std::move(version), .where = where}));
        const weft::run_result result = run_in(sim, graph, one.by(of(4)));
        BOOST_TEST(result.state.get(value) == 8);
        BOOST_TEST(result.state.get(total) == 1);
        said += one.text + "|";
    };
    const weft::node_cache first = cache_of_a_process();
    const weft::node_cache second = cache_of_a_process();
    run_there(first, "1");
    run_there(second, "1");
    run_there(second, "1");
    run_there(second, "2");
    BOOST_TEST(said == "|store|hit||");
    BOOST_TEST(worked == 2);
    sim.clock().advance(std::chrono::minutes{59});
    run_there(cache_of_a_process(), "1");
    const weft::node_cache late = cache_of_a_process();
    BOOST_TEST(worked == 2);
    sim.clock().advance(std::chrono::minutes{2});
    run_there(late, "1");  // the end of the time is that of the first result
    BOOST_TEST(worked == 3);
}

BOOST_AUTO_TEST_CASE(M2_a_store_that_fails_costs_the_result_and_no_node)
{
    class broken final : public weft::node_result_store {
        weft::task<std::optional<boost::json::value>> load(std::string) override
        {
            throw weft::error{weft::errc::store_unavailable, "store", "away"};
            co_return std::nullopt;
        }
        weft::task<void> save(std::string, boost::json::value, std::optional<std::chrono::milliseconds>) override
        {
            throw weft::error{weft::errc::store_unavailable, "store", "away"};
            co_return;
        }
    };
    int worked = 0;
    const weft::node_cache where{{.store = std::make_shared<broken>()}};
    const weft::graph graph = doubling(worked, cached({.where = where}));
    weft::testing::simulation sim{1};
    std::string warnings;
    const weft::run_request request = of(4).on_event([&](const weft::run_event& event) {
        if (event.label == "warning") warnings += event.text + "\n";
    });
    BOOST_TEST(run_in(sim, graph, weft::run_request{request}).state.get(value) == 8);
    BOOST_TEST(warnings.find("cannot be read") != std::string::npos);
    BOOST_TEST(warnings.find("cannot be written") != std::string::npos);
    BOOST_TEST(run_in(sim, graph, weft::run_request{request}).state.get(value) == 8);
    BOOST_TEST(worked == 1);
}

BOOST_AUTO_TEST_CASE(M2_what_cannot_be_cached_is_refused)
{
    const auto mistake = [](weft::node_options options) {
        weft::graph_builder builder = graph_of("");
        if (!options.cache) options.cache.emplace();
        builder.node("a", [] {}, std::move(options)).edge(weft::start, "a");
        return mistake_of(builder);
    };
    BOOST_TEST(mistake({.faces_client = true}).find("speaks with a person") != std::string::npos);
    BOOST_TEST(mistake({.gives_feedback = true}).find("gets feedback") != std::string::npos);
    BOOST_TEST(mistake({.cache = weft::node_cache_policy{.keep_for = -1s}}).find("negative") != std::string::npos);
    weft::node_cache_policy unknown;
    unknown.keys = {"valeu"};
    BOOST_TEST(mistake({.cache = unknown}).find("'valeu', which the graph does not declare") != std::string::npos);
    weft::graph_builder outer = graph_of("");
    weft::node_options options;
    options.cache.emplace();
    outer.node("a", weft::subgraph{plain_graph("x", "^x x$").build()}, options).edge(weft::start, "a");
    BOOST_TEST(mistake_of(outer).find("its work is a graph") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(M2_a_trace_shows_which_visits_were_cached)
{
    int worked = 0;
    const weft::graph graph = doubling(worked);
    weft::testing::simulation sim{1};
    (void)run_in(sim, graph, of(4));
    weft::run_log log;
    (void)run_in(sim, graph, of(4).on_event([&](const weft::run_event& event) { log.add(event, weft::time_point{}); }));
    const weft::run_trace trace = weft::trace_of(log);
    BOOST_REQUIRE_EQUAL(trace.visits.size(), 1u);
    BOOST_TEST(trace.visits[0].was_cached);
    BOOST_TEST(to_json(trace).at("visits").at(0).at("cached").as_bool());
}

BOOST_AUTO_TEST_CASE(M2_files_have_cached_nodes)
{
    weft::node_registry registry;
    int worked = 0;
    registry.add_function("count", [&worked](weft::node_context& context) {
        context.set(weft::state_key<std::int64_t>{"n"}, ++worked);
    });
    const auto items = std::make_shared<weft::memory_items>();
    registry.node_cache(weft::node_cache{{.store = weft::node_results_in(weft::item_space{items})}});
    const auto text = [](std::string_view cache, std::string_view settings = "'function': 'count'") {
        return spec_text("'state': [{'name': 'n', 'type': 'integer'}, {'name': 'q', 'type': 'string'}], 'nodes': "
                         "[{'name': 'a', 'reads': ['q'], 'cache': " + std::string{cache} + ", 'settings': {" +
                         std::string{settings} + "}}], 'edges': [{'from': '__start__', 'to': 'a'}]");
    };
    const weft::loaded_graph loaded = weft::load_graph(text("{'keep_for': '1h', 'version': '2'}"), registry);
    weft::testing::simulation sim{1};
    for (const char* const q : {"x", "x", "y"})
        (void)run_in(sim, loaded.what, weft::run_request{}.input(boost::json::object{{"q", q}}));
    BOOST_TEST(worked == 2);
    const weft::graph_spec again = weft::spec_of(loaded.what, registry);
    BOOST_TEST((again.nodes.at(0).cache == loaded.spec.nodes.at(0).cache));
    BOOST_TEST(again.nodes.at(0).settings.at("function").as_string() == "count");
    BOOST_TEST(lacks(mistakes_in(text("{'keys': ['nn']}"), registry), {"$.nodes[0].cache.keys[0]", "did you mean 'n'"})
               == "");
    BOOST_TEST(lacks(mistakes_in(text("{'keep_for': '0ms'}"), registry), {"$.nodes[0].cache.keep_for"}) == "");
}

BOOST_AUTO_TEST_SUITE_END()
