#include <boost/test/unit_test.hpp>

#include "teams.hpp"

#include <weft/agent/pattern_debate.hpp>
#include <weft/agent/pattern_map_reduce.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/testing/faulty_store.hpp>

#include <optional>

using namespace weft_tests;
using namespace std::chrono_literals;
namespace patterns = weft::patterns;
using weft::testing::simulation;

BOOST_AUTO_TEST_SUITE(pattern_durable_test)

namespace {

/** How often participants were asked, in all processes. */
using asked_counts = std::shared_ptr<int>;

patterns::participant counting(std::string name, std::chrono::nanoseconds span, asked_counts asked, spoken_words what)
{
    return who_says(std::move(name), span, [=](const std::string& task) {
        ++*asked;
        return what(task);
    });
}

weft::graph counted_debate(asked_counts asked)
{
    const auto follows = [](std::string own, std::string read) {
        return [=](const std::string& task) { return task.find(read) == std::string::npos ? own : std::string{"x"}; };
    };
    return patterns::debate("work", {counting("a", 10ms, asked, [](const std::string&) { return "x"; }),
                                     counting("b", 20ms, asked, follows("y", "### a\nx")),
                                     counting("c", 5ms, asked, follows("z", "### b\nx"))});
}

weft::graph counted_map_reduce(asked_counts asked)
{
    const auto doubles = [](const std::string& task) { return task + task; };
    patterns::map_reduce_options options;
    options.concurrency_max = 2;
    options.reduce = counting("join", 5ms, asked, [](const std::string& task) {
        return task.substr(task.find("these:\n\n") + 8);
    });
    return patterns::map_reduce("work", counting("double", 10ms, asked, doubles), options);
}

using graph_maker = std::function<weft::graph(asked_counts)>;

struct processes {
    simulation sim{1};
    weft::memory_store memory{weft::hash_key{}};
    /** Each call takes a while, so that a process can die before, in and after each of its writes. */
    weft::testing::faulty_store store{memory, weft::testing::store_faults{}.delay_up_to(2ms), 7};
    asked_counts asked = std::make_shared<int>(0);
    graph_maker make;

    explicit processes(graph_maker what) : make{std::move(what)} {}

    [[nodiscard]] std::shared_ptr<const weft::durable_graphs> graphs() const
    {
        auto made = std::make_shared<weft::durable_graphs>();
        made->add(make(asked));
        return made;
    }
};

/** A process that asks for the run. */
weft::task<std::string> first_process(processes& all)
{
    weft::durable_engine durable{all.store, all.graphs(), weft::durable_options{}};
    weft::task<void> opening = durable.open();
    co_await std::move(opening);
    weft::run_request request{"t"};
    std::move(request).input(patterns::given_task, std::string{"p\nq\nr\ns"});
    weft::task<weft::run_result> running = durable.run(std::move(request));
    const weft::run_result result = co_await std::move(running);
    BOOST_REQUIRE_MESSAGE(result.status == weft::run_status::finished, result.message());
    co_return result.state.get(patterns::answer);
}

/** A process that takes over what others left. */
weft::task<std::string> later_process(processes& all)
{
    {
        weft::durable_engine durable{all.store, all.graphs(), weft::durable_options{}};
        weft::task<void> opening = durable.open();
        co_await std::move(opening);
        const weft::thread_key key{"t"};
        for (;;) {
            weft::task<std::size_t> recovering = durable.recover();
            static_cast<void>(co_await std::move(recovering));
            weft::task<std::optional<weft::run_record>> looking = all.store.active_run(key);
            const std::optional<weft::run_record> active = co_await std::move(looking);
            if (!active) break;
            co_await weft::sleep_for(1s);
        }
        weft::task<std::vector<weft::checkpoint_info>> reading = durable.history(key);
        const std::vector<weft::checkpoint_info> infos = co_await std::move(reading);
        if (!infos.empty()) {
            BOOST_REQUIRE((infos.front().kind == weft::checkpoint_kind::finish));
            weft::task<weft::thread_snapshot> last = durable.read(key);
            const weft::thread_snapshot at = co_await std::move(last);
            co_return at.state().get(patterns::answer);
        }
    }
    std::string begun_anew = co_await first_process(all);  // the first one died before it had entered the run
    co_return begun_anew;
}

/** Kills the first process after each step of the simulation; another one goes on.
 *  @param at_work   So many participants work at the same time at most. */
void check_every_kill(const graph_maker& make, const std::string& expected, int at_work)
{
    processes whole{make};
    BOOST_TEST(whole.sim.run(first_process(whole)) == expected);
    const int asked = *whole.asked;
    const std::size_t moments = whole.sim.steps();
    int asked_again = 0;
    for (std::size_t at = 0; at < moments; ++at) {
        processes all{make};
        std::optional<std::string> told;
        {
            simulation::root<std::string> first{all.sim, first_process(all)};
            for (std::size_t i = 0; i < at && !first.has_ended(); ++i) all.sim.step();
            if (first.has_ended()) told = first.take();
        }
        if (!told) told = all.sim.run(later_process(all));
        BOOST_REQUIRE_MESSAGE(*told == expected, "killed after " << at << " steps: " << *told);
        // Who had ended was not asked again: at most those did who were at work.
        BOOST_REQUIRE_MESSAGE(*all.asked <= asked + at_work, "killed after " << at << " steps: " << *all.asked);
        asked_again = std::max(asked_again, *all.asked - asked);
    }
    BOOST_TEST_MESSAGE(moments << " kills, at most " << asked_again << " of " << asked << " asked again");
    BOOST_TEST(moments > 20u);
}

}  // namespace

BOOST_AUTO_TEST_CASE(X_3_a_debate_survives_being_killed_at_every_point)
{
    check_every_kill(&counted_debate, "x", 3);
}

BOOST_AUTO_TEST_CASE(X_3_a_map_reduce_survives_being_killed_at_every_point)
{
    check_every_kill(&counted_map_reduce, "pp\n\nqq\n\nrr\n\nss", 2);
}

BOOST_AUTO_TEST_SUITE_END()
