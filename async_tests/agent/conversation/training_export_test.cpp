#include <boost/test/unit_test.hpp>

#include "engine/nodes.hpp"

#include <weft/agent/conversation/training_export.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/store/memory_store.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(training_export_test)

namespace {

constexpr weft::state_key<weft::list<weft::message>, weft::append> messages{"messages"};
constexpr weft::state_key<std::int64_t> stars{"stars"};

/** A node that says hello to the thread; of a thread `bad…` it fails after that. */
void greet(weft::node_context& context)
{
    const std::string name{context.thread()};
    if (name == "silent") return;
    context.set(messages, weft::message::user("I am " + name));
    context.set(messages, weft::message::assistant("Hello, " + name));
}
void settle(weft::node_context& context)
{
    if (context.thread().starts_with("bad")) throw weft::error{weft::errc::model_rejected, "test", "on purpose"};
}

/** A store with runs that are over. */
struct kept_talks {
    kept_talks()
    {
        auto graphs = std::make_shared<weft::durable_graphs>();
        graphs->add(weft::graph_builder{"talks"}.state(messages, stars).node("greet", greet).node("settle", settle)
                        .edge(weft::start, "greet").edge("greet", "settle").build());
        sim.run(run_all(store, graphs));
    }
    static weft::task<void> run_all(weft::checkpoint_store& store, std::shared_ptr<const weft::durable_graphs> graphs)
    {
        weft::durable_engine durable{store, graphs};
        co_await durable.open();
        std::int64_t stars_given = 1;
        for (const char* const thread : {"ada", "bad-bob", "cy", "silent"}) {
            weft::run_request plain{thread};
            plain.input(stars, stars_given++);
            weft::durable_request request{std::move(plain)};
            auto running = durable.run(std::move(request));
            static_cast<void>(co_await std::move(running));
        }
        co_await durable.close();
    }

    std::string exported(weft::training_export_options options)
    {
        std::string who;
        const auto write = [&who](std::string_view line) {
            const std::size_t at = line.find("I am ") + 5;
            who.append(who.empty() ? "" : " ").append(line.substr(at, line.find('"', at) - at));
        };
        done = sim.run(weft::export_conversations(store, "", std::move(options), write));
        return who;
    }

    weft::testing::simulation sim{1};
    weft::memory_store store;
    weft::training_export_counts done;
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(SUL_28_conversations_of_runs_that_finished_are_written, kept_talks)
{
    BOOST_TEST(exported({}) == "ada cy");
    BOOST_TEST(done.threads == 4u);
    BOOST_TEST(done.filtered == 1u);
    BOOST_TEST(done.without == 1u);
    BOOST_TEST(done.conversations == 2u);
}

BOOST_FIXTURE_TEST_CASE(SUL_28_outcome_rating_graph_and_label_choose, kept_talks)
{
    weft::training_export_options failed;
    failed.outcomes = {weft::thread_outcome::failed};
    BOOST_TEST(exported(failed) == "bad-bob");
    weft::training_export_options both;
    both.outcomes.push_back(weft::thread_outcome::failed);
    BOOST_TEST(exported(both) == "ada bad-bob cy");
    weft::training_export_options rated;
    rated.rating_key = "stars";
    rated.rating_min = 3;
    BOOST_TEST(exported(rated) == "cy");
    weft::training_export_options foreign;
    foreign.graph = "others";
    BOOST_TEST(exported(foreign) == "");
    weft::training_export_options labelled;
    labelled.label = "good";
    BOOST_TEST(exported(labelled) == "");
    BOOST_TEST(sim.run(store.label(weft::thread_key{"ada"}, 1, "good")));
    BOOST_TEST(sim.run(store.load(weft::thread_key{"ada"}, std::nullopt))->label == "");
    BOOST_TEST(exported(labelled) == (sim.run(store.load(weft::thread_key{"ada"}, 1))->node == "greet" ? "ada" : ""));
}

BOOST_FIXTURE_TEST_CASE(SUL_28_progress_is_told_for_each_thread_and_may_end_the_work, kept_talks)
{
    std::vector<std::size_t> seen;
    weft::training_export_options options;
    options.on_progress = [&seen](const weft::training_export_counts& now) { seen.push_back(now.threads); };
    (void)exported(options);
    const std::vector<std::size_t> expected{1, 2, 3, 4};
    BOOST_TEST(seen == expected, boost::test_tools::per_element());
    options.on_progress = [](const weft::training_export_counts&) { throw std::runtime_error{"enough"}; };
    BOOST_CHECK_THROW((void)exported(options), std::runtime_error);
}

BOOST_AUTO_TEST_SUITE_END()
