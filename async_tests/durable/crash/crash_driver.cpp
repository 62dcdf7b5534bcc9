#include "crash_judge.hpp"
#include "crash_plan.hpp"
#include "durable/process.hpp"
#include "store/postgres_server.hpp"
#include "tool/own_directory.hpp"

#ifdef WEFT_HAS_POSTGRES
#include <weft/async/run_blocking.hpp>
#include <weft/store/postgres_store.hpp>
#endif

#include <algorithm>
#include <atomic>
#include <csignal>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace weft_crash {

namespace {

/** Stores and ledgers for lanes and batches. */
class places {
public:
    places(const crash_plan& plan)
        : directory_{"crash-" + plan.kind + "-" + plan.graph}, kind_{plan.kind}, graph_{plan.graph}
    {
#ifdef WEFT_HAS_POSTGRES
        if (kind_ != "postgres") return;
        weft_tests::postgres_server::options synced;
        synced.is_synced = true;
        server_.emplace(synced);
        for (std::size_t lane = 0; lane <= plan.lanes; ++lane) {
            weft::postgres_options options{server_->connection()};
            options.schema = schema_of(lane);
            weft::run_blocking(weft::postgres_store::prepare(options));
        }
#endif
    }

    /** Lanes share nothing: who recovers takes over whatever it finds. */
    [[nodiscard]] worker_orders orders(std::size_t lane, std::size_t batch) const
    {
        const std::string name = (directory_.path() / std::to_string(batch)).string();
        worker_orders made;
        made.store.kind = kind_;
        made.store.where = name + ".db";
#ifdef WEFT_HAS_POSTGRES
        if (server_) made.store.where = server_->connection();
#endif
        made.store.schema = schema_of(lane);
        made.ledger = name + ".ledger";
        made.graph = graph_;
        return made;
    }
    void clean(std::size_t batch) const
    {
        for (const char* end : {".db", ".db-wal", ".db-shm", ".db.lock", ".ledger"})
            std::filesystem::remove(directory_.path() / (std::to_string(batch) + end));
    }

private:
    static std::string schema_of(std::size_t lane) { return "lane" + std::to_string(lane); }

    weft_tests::own_directory directory_;
    std::string kind_;
    std::string graph_;
#ifdef WEFT_HAS_POSTGRES
    std::optional<weft_tests::postgres_server> server_;
#endif
};

int run_worker(const worker_orders& orders) { return weft_tests::end_of(weft_tests::start_self(orders.words())); }

/** Goes through the batches of boundaries. */
class crash_course {
public:
    crash_course(const crash_plan& plan, const places& where, thread_story undisturbed)
        : plan_{plan}, where_{where}, undisturbed_{std::move(undisturbed)}
    {
        report_.writes = undisturbed_.writes;
        report_.visits = undisturbed_.begun.size();
        std::vector<slot> all;
        // Those that recover may write a little more than who is not disturbed.
        for (std::uint64_t write = 1; write <= undisturbed_.writes; write += plan.every)
            for (const slot::moment when : {slot::moment::before, slot::moment::after})
                all.push_back({"t" + std::to_string(all.size()), write, when});
        report_.boundaries = all.size();
        for (std::size_t i = 0; i < all.size(); i += plan.together)
            batches_.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(i),
                                  all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), i + plan.together)));
    }

    crash_report run()
    {
        std::vector<std::thread> lanes;
        for (std::size_t lane = 1; lane <= plan_.lanes; ++lane) lanes.emplace_back([this, lane] { run_lane(lane); });
        for (std::thread& lane : lanes) lane.join();
        return std::move(report_);
    }

private:
    void run_lane(std::size_t lane)
    {
        for (std::size_t batch = next_++; batch < batches_.size(); batch = next_++) {
            try {
                run_batch(lane, batch);
            } catch (const std::exception& e) {
                const std::lock_guard lock{mutex_};
                report_.wrong.push_back("batch " + std::to_string(batch) + ": " + e.what());
            }
        }
    }

    /** Kills a process when each thread is at its boundary, then one that recovers, and lets a third one finish. */
    void run_batch(std::size_t lane, std::size_t batch)
    {
        worker_orders orders = where_.orders(lane, batch + 1);
        orders.slots = batches_[batch];
        orders.is_careless = plan_.is_careless;
        const int killed = run_worker(orders);
        orders.is_careless = false;
        for (slot& each : orders.slots) each.write = 0;
        constexpr std::size_t operations_of_recovery = 40;
        orders.any.write = 1 + batch % operations_of_recovery;
        orders.any.when = batch / operations_of_recovery % 2 == 0 ? slot::moment::after : slot::moment::before;
        const int killed_again = run_worker(orders);
        orders.any = slot{};
        const int finished = killed_again == 0 ? 0 : run_worker(orders);
        const std::map<std::string, thread_story> stories = read_stories(orders.ledger);

        const std::lock_guard lock{mutex_};
        const std::string name = "batch " + std::to_string(batch);
        report_.kills += (killed == -SIGKILL ? 1u : 0u) + (killed_again == -SIGKILL ? 1u : 0u);
        if (killed != -SIGKILL) report_.wrong.push_back(name + " was not killed: " + std::to_string(killed));
        if (killed_again != 0 && killed_again != -SIGKILL)
            report_.wrong.push_back(name + ", recovering: " + std::to_string(killed_again));
        if (finished != 0) report_.wrong.push_back(name + " did not finish: " + std::to_string(finished));
        for (const slot& each : batches_[batch]) judge_slot(each, stories);
        where_.clean(batch + 1);
    }

    void judge_slot(const slot& which, const std::map<std::string, thread_story>& stories)
    {
        const auto found = stories.find(which.thread);
        const thread_story story = found == stories.end() ? thread_story{} : found->second;
        report_.reached += story.was_reached ? 1 : 0;
        report_.effects += story.keys.size();
        report_.calls += story.calls;
        report_.losses += story.losses;
        for (const std::string& what : judge(story, undisturbed_, 2))
            report_.wrong.push_back(which.text() + ": " + what);
    }

    const crash_plan& plan_;
    const places& where_;
    const thread_story undisturbed_;
    std::vector<std::vector<slot>> batches_;
    std::atomic<std::size_t> next_{0};
    std::mutex mutex_;
    crash_report report_;
};

}  // namespace

crash_report crash_everywhere(const crash_plan& plan)
{
    const places where{plan};
    worker_orders calm = where.orders(0, 0);
    calm.slots = {slot{"calm", 0, slot::moment::before}};
    crash_report failed;
    const int ended = run_worker(calm);
    thread_story undisturbed = read_stories(calm.ledger)["calm"];
    failed.wrong = judge_undisturbed(undisturbed);
    if (ended != 0 || undisturbed.state.empty())
        failed.wrong.push_back("the undisturbed run ends with " + std::to_string(ended));
    if (!failed.wrong.empty()) return failed;
    crash_course course{plan, where, std::move(undisturbed)};
    return course.run();
}

}  // namespace weft_crash
