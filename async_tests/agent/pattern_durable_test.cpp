#include <boost/test/unit_test.hpp>

#include "engine/durable/durable_processes.hpp"
#include "teams.hpp"

#include <weft/agent/pattern/pattern_debate.hpp>
#include <weft/agent/pattern/pattern_map_reduce.hpp>
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

weft::durable_request given_lines()
{
    weft::run_request request{"t"};
    request.input(patterns::given_task, std::string{"p\nq\nr\ns"});
    return weft::durable_request{std::move(request)};
}

std::string answer_of(const weft::run_result& result)
{
    BOOST_REQUIRE_MESSAGE(result.status == weft::run_status::finished, result.message());
    return result.state.get(patterns::answer);
}

/** Kills the first process after each step of the simulation; another one goes on.
 *  @param at_work   So many participants work at the same time at most. */
void check_every_kill(const graph_maker& make, const std::string& expected, int at_work)
{
    processes whole{make};
    BOOST_TEST(answer_of(whole.sim.run(first_process(whole.store, whole.graphs(), {}, given_lines()))) == expected);
    const int asked = *whole.asked;
    const std::size_t moments = whole.sim.steps();
    int asked_again = 0;
    for (std::size_t at = 0; at < moments; ++at) {
        processes all{make};
        auto ended = run_for(all.sim, first_process(all.store, all.graphs(), {}, given_lines()), at);
        if (!ended) ended = all.sim.run(later_process(all.store, all.graphs(), {}, given_lines()));
        const std::string told = answer_of(*ended);
        BOOST_REQUIRE_MESSAGE(told == expected, "killed after " << at << " steps: " << told);
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
