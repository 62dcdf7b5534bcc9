#include <boost/test/unit_test.hpp>

#include "durable_world.hpp"
#include "seed_count.hpp"

#include <weft/store/record/store_model.hpp>

#include <utility>

using namespace weft_tests;
using weft::testing::simulation;

BOOST_AUTO_TEST_SUITE(lost_tail_test)

namespace {

/** Remembers what the store held after its first so many writes: what is left when a machine dies that had not brought
 *  the others to its disk, although it had acknowledged them. */
class forgetful_store final : public weft::forwarding_store {
public:
    forgetful_store(weft::memory_store& inner, std::uint64_t kept)
        : forwarding_store{inner}, inner_{inner}, left_{kept}, rest_{inner.snapshot()}
    {
    }

    [[nodiscard]] const weft::store_model& rest() const noexcept { return rest_; }

    weft::task<weft::run_admission> enqueue(weft::new_run run) override
    {
        return noted(inner().enqueue(std::move(run)));
    }
    weft::task<std::vector<weft::run_claim>> claim(weft::worker_id worker, std::size_t max) override
    {
        return noted(inner().claim(worker, max));
    }
    weft::task<weft::commit_result> commit(weft::write_fence fence, weft::checkpoint_draft draft) override
    {
        return noted(inner().commit(std::move(fence), std::move(draft)));
    }
    weft::task<weft::write_state> finish(weft::write_fence fence, weft::run_outcome outcome) override
    {
        return noted(inner().finish(std::move(fence), std::move(outcome)));
    }
    weft::task<weft::prune_report> prune(weft::thread_key thread, weft::retention what) override
    {
        return noted(inner().prune(std::move(thread), what));
    }

private:
    template <class T>
    weft::task<T> noted(weft::task<T> call)
    {
        T answer = co_await std::move(call);
        if (left_ > 0 && --left_ == 0) rest_ = inner_.snapshot();
        co_return answer;
    }

    weft::memory_store& inner_;
    std::uint64_t left_;
    weft::store_model rest_;
};

thread_end undisturbed()
{
    simulation sim{1};
    weft::memory_store store{test_key()};
    return sim.run(carry_to_the_end(store, graphs_of(counted_maze(std::make_shared<begun_nodes>()))));
}

}  // namespace

BOOST_AUTO_TEST_CASE(X_3_a_run_goes_on_from_what_is_left_when_acknowledged_writes_are_lost)
{
    const thread_end expected = undisturbed();
    constexpr std::uint64_t writes_max = 45;
    const weft::durability modes[] = {weft::durability::every_step, weft::durability::async_steps};
    std::size_t shortened = 0;
    for (std::uint64_t seed = 1; seed <= seed_count(300); ++seed) {
        weft::random_source random{seed};
        simulation sim{seed};
        weft::memory_store store{test_key()};
        forgetful_store forgetful{store, 1 + random.below(writes_max)};
        const auto graphs = graphs_of(counted_maze(std::make_shared<begun_nodes>()));
        weft::durable_options options;
        options.mode = modes[random.below(2)];
        options.keep_last = random.below(2) * 6;
        options.attempts_max = 1000;
        {
            simulation::root<weft::run_result> first{sim, first_process(forgetful, graphs, options)};
            const std::uint64_t steps = random.below(800);
            for (std::uint64_t i = 0; i < steps && !first.has_ended(); ++i) sim.step();
        }
        weft::memory_store left{weft::store_model{forgetful.rest()}};
        const weft::thread_key key{"t"};
        const auto before = sim.run(store.load(key, std::nullopt));
        const auto after = sim.run(left.load(key, std::nullopt));
        if (before && (!after || after->sequence < before->sequence)) ++shortened;
        const thread_end found = sim.run(carry_to_the_end(left, graphs, options));
        BOOST_REQUIRE_MESSAGE(found.words == expected.words, "seed " << seed);
        BOOST_REQUIRE_MESSAGE(found.total == expected.total, "seed " << seed << ": " << found.total);
        BOOST_REQUIRE_MESSAGE(found.steps == expected.steps, "seed " << seed << ": " << found.steps);
    }
    BOOST_TEST(shortened > seed_count(120));  // so that the test means something
}

BOOST_AUTO_TEST_SUITE_END()
