#include "durable_load.hpp"
#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"
#include "stores.hpp"

#include <weft/async/run_blocking.hpp>

#include <optional>
#include <vector>

namespace weft_bench {

namespace {

constexpr int rounds_of_resume = 9;

/** How the threads came about: what they say lies side by side in a store, or that of each by itself. */
enum class company { together, alone };

/** Threads of 1,000 steps with 1 kB each that wait before their last node, in one store, and an engine that has not
 *  seen them. */
class paused_threads {
public:
    paused_threads(std::unique_ptr<opened_store> opened, company ran) : opened_{std::move(opened)}
    {
        weft::run_blocking(prepare(opened_->store(), load_, names_, ran));
    }

    /** From the call to the moment when the last node begins, in ms. */
    [[nodiscard]] double resume_ms() { return weft::run_blocking(resume(this, names_.at(next_++))); }
    /** From the call to the state of the newest checkpoint, in ms. */
    [[nodiscard]] double read_ms() { return weft::run_blocking(read(this)); }

private:
    static weft::task<void> prepare(weft::checkpoint_store& store, durable_load load, std::vector<std::string> names,
                                    company ran)
    {
        weft::durable_engine durable{store, weft_bench::graphs_of(load), keeping_all()};
        co_await durable.open();
        const std::size_t at_once = ran == company::together ? names.size() : 1;
        for (auto first = names.begin(); first != names.end(); first += static_cast<std::ptrdiff_t>(at_once)) {
            std::vector<std::string> some{first, first + static_cast<std::ptrdiff_t>(at_once)};
            co_await run_threads(durable, std::move(some), weft::run_status::paused);
        }
        co_await durable.close();
    }
    static weft::task<double> resume(paused_threads* self, std::string name)
    {
        self->last_began_ = 0;
        durable_load load = self->load_;
        load.on_last = [self] { self->last_began_ = wall_ms(); };
        weft::durable_engine durable{self->opened_->store(), weft_bench::graphs_of(load), keeping_all()};
        co_await durable.open();
        const double before = wall_ms();
        weft::task<weft::run_result> running = durable.resume(weft::thread_key{std::move(name)});
        const weft::run_result result = co_await std::move(running);
        require(result.ok() && self->last_began_ > 0, "a thread did not go on");
        require(result.state.get(messages).size() == load.steps, "a resumed thread lacks messages");
        co_await durable.close();
        co_return self->last_began_ - before;
    }
    static weft::task<double> read(paused_threads* self)
    {
        weft::durable_engine durable{self->opened_->store(), weft_bench::graphs_of(self->load_), keeping_all()};
        co_await durable.open();
        const double before = wall_ms();
        const weft::thread_snapshot found = co_await durable.read(weft::thread_key{"thread 0"});
        const double cost = wall_ms() - before;
        require(found.state().get(messages).size() == self->load_.steps, "a thread that was read lacks messages");
        co_await durable.close();
        co_return cost;
    }

    durable_load load_{amount<std::uint32_t>(1'000, 50), 1, 1'024, true};
    std::unique_ptr<opened_store> opened_;
    std::vector<std::string> names_ = thread_names("thread ", amount(rounds_of_resume, 1) + 1);  // one warms up
    std::size_t next_ = 0;
    double last_began_ = 0;
};

measurement measure_resume(const std::string& kind, company ran)
{
    paused_threads threads{open_store(kind), ran};
    return take_turns(
        rounds_of_resume, [&] { return threads.resume_ms(); }, [&] { return threads.read_ms(); });
}

}  // namespace

benchmarks resume_benchmarks()
{
    const std::string what = "a thread of 1,000 steps with 1 kB each goes on: from the call to its next node; floor: "
                             "`durable_engine::read`";
    benchmarks all;
    for (const std::string& kind : store_kinds()) {
        all.push_back({"resume_" + kind, "ms", what + "; ten threads ran side by side", "<= 5",
                       [kind] { return measure_resume(kind, company::together); }});
        if (kind == "memory") continue;
        all.push_back({"resume_" + kind + "_alone", "ms", what + "; one thread ran after another", "<= 5",
                       [kind] { return measure_resume(kind, company::alone); }});
    }
    return all;
}

}  // namespace weft_bench
