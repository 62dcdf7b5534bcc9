#include "agent_graph.hpp"
#include "crash_graph.hpp"
#include "crash_plan.hpp"
#include "killing_store.hpp"
#include "research_crash.hpp"
#include "telling_model.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/engine/durable_engine.hpp>
#ifdef WEFT_HAS_POSTGRES
#include <weft/engine/scheduler/frontier.hpp>
#include <weft/store/postgres_store.hpp>
#endif
#ifdef WEFT_HAS_SQLITE
#include <weft/store/sqlite_store.hpp>
#endif

#include <boost/json/serialize.hpp>

#include <iostream>
#include <memory>
#include <stdexcept>

namespace weft_crash {

namespace {

using namespace std::chrono_literals;

constexpr int looks_max = 20'000;  // at a thread, before it counts as stuck
// A sanitizer beside a build: processes that lose their lease again and again do not come to an end.
#ifdef WEFT_CRASH_IS_SLOW
constexpr auto lifetime = 3'000ms;
#else
constexpr auto lifetime = 1'000ms;
#endif

weft::task<std::unique_ptr<weft::checkpoint_store>> open_store(store_place place)
{
    std::unique_ptr<weft::checkpoint_store> opened;
#ifdef WEFT_HAS_SQLITE
    if (place.kind == "sqlite") {
        weft::sqlite_options options{place.where};
        options.sync = weft::sqlite_sync::normal;  // the machine stays alive
        opened = co_await weft::sqlite_store::open(std::move(options));
    }
#endif
#ifdef WEFT_HAS_POSTGRES
    if (place.kind == "postgres") {
        weft::postgres_options options{place.where};
        options.schema = place.schema;
        options.may_migrate = false;
        opened = co_await weft::postgres_store::open(std::move(options));
    }
#endif
    if (!opened) throw std::runtime_error{"there is no store " + place.kind};
    co_return opened;
}

weft::durable_options fast_options()
{
    weft::durable_options options;
    options.worker_name = "crash";
    options.attempts_max = 1'000;
    options.lifetime = lifetime;
    options.heartbeat_every = 200ms;
    options.poll_every = 20ms;
    return options;
}

using request_function = weft::run_request (*)(const std::string& thread);

weft::run_request plain_request(const std::string& thread) { return weft::run_request{thread}; }

/** What runs, with those who do it. */
struct crew {
    agents_at_work agents;
    research_at_work research;
    std::shared_ptr<const weft::durable_graphs> graphs;
    request_function make_request = &plain_request;
};

weft::task<crew> hire(std::string graph, std::shared_ptr<const weft_tests::ledger> notes, std::string ledger)
{
    crew hired;
    if (graph == "agents") {
        hired.agents = co_await hire_agents(notes, std::move(ledger));
        hired.graphs = hired.agents.graphs;
    } else if (graph == "research") {
        hired.research = hire_researchers(notes);
        hired.graphs = hired.research.graphs;
        hired.make_request = &research_request;
    } else if (graph == "steps") {
        hired.graphs = crash_graphs(notes);
    } else {
        throw std::runtime_error{"there is no graph " + graph};
    }
    co_return hired;
}

/** One process: threads that are carried to their ends, side by side. */
class crash_process {
public:
    crash_process(weft::checkpoint_store& store, const worker_orders& orders,
                  std::shared_ptr<const weft_tests::ledger> notes, const crew& at_work)
        : orders_{orders}, notes_{std::move(notes)}, store_{store, orders, *notes_},
          durable_{store_, at_work.graphs, fast_options()}, make_request_{at_work.make_request}
    {
    }

    weft::task<void> live()
    {
        co_await durable_.open();
        const weft::task_context& context = co_await weft::this_task::context();
        weft::scope worker{context};
        worker.spawn(durable_.work());
        weft::scope threads{context};
        for (const slot& each : orders_.slots) threads.spawn(carry(each.thread));
        co_await threads.join();
        co_await durable_.close();
        co_await worker.join();
    }

private:
    /** From wherever a thread stands to its end. */
    weft::task<void> carry(std::string thread)
    {
        bool is_over = false;
        for (int look = 0; !is_over && look < looks_max; ++look) {
            try {
                is_over = co_await go_on(thread);
            } catch (const weft::error& e) {
                note_trouble(thread, e.code(), e.what());
            }
            if (!is_over) co_await weft::sleep_for(5ms);
        }
        if (!is_over) throw std::runtime_error{"thread " + thread + " does not come to its end"};
        co_await tell_end(thread);
        store_.note_end(thread);
    }

    /** @return  Whether the thread has come to its end. */
    weft::task<bool> go_on(std::string thread)
    {
        const weft::thread_key key{thread};
        const std::optional<weft::run_record> active = co_await store_.active_run(key);
        if (active) {
            co_await answer_one(key, active->phase);
            co_return false;
        }
        const std::optional<weft::checkpoint> head = co_await store_.load(key, std::nullopt);
        if (head && head->kind == weft::checkpoint_kind::finish) co_return true;
        weft::durable_request request{make_request_(thread)};
        request.idempotent(thread);
        const weft::run_result result = co_await durable_.run(std::move(request));
        if (result.why) note_trouble(thread, result.why->code, result.message());
        co_return false;
    }

    /** Answers the newest question of a run that waits, and lets it go on. */
    weft::task<void> answer_one(weft::thread_key thread, weft::run_phase phase)
    {
        if (phase != weft::run_phase::waiting) co_return;
        const std::vector<weft::open_question> open = co_await durable_.questions(thread);
        weft::question_answers answers;
        if (!open.empty()) answers.emplace(open.back().address, boost::json::value("to_" + open.back().address));
        const weft::run_result result = co_await durable_.resume(thread, std::move(answers));
        if (result.why) note_trouble(thread.thread, result.why->code, result.message());
    }

    /** A machine with too much to do makes processes lose their leases, as if they had died. */
    void note_trouble(const std::string& thread, weft::errc code, const std::string& words) const
    {
        const bool is_slow = code == weft::errc::thread_lost || code == weft::errc::store_unavailable ||
                             code == weft::errc::thread_not_found;
        notes_->note({is_slow ? "lost" : "trouble", thread, words});
    }

    weft::task<void> tell_end(std::string thread)
    {
        weft::task<weft::thread_snapshot> reading = durable_.read(weft::thread_key{thread});
        const weft::thread_snapshot last = co_await std::move(reading);
        std::string state = without_marks(boost::json::serialize(last.state().to_json()));
        if (!last.info().node.empty()) state = "it failed at " + last.info().node;
        notes_->note({"end", thread, std::to_string(store_.writes(thread)), std::to_string(last.where().steps), state});
    }

    const worker_orders& orders_;
    std::shared_ptr<const weft_tests::ledger> notes_;
    killing_store store_;
    weft::durable_engine durable_;
    request_function make_request_;
};

weft::task<void> open_and_live(worker_orders orders)
{
    auto notes = std::make_shared<const weft_tests::ledger>(orders.ledger);
    const std::unique_ptr<weft::checkpoint_store> store = co_await open_store(orders.store);
    const crew hired = co_await hire(orders.graph, notes, orders.ledger);
    crash_process process{*store, orders, notes, hired};
    co_await process.live();
}

}  // namespace

int work(const worker_orders& orders)
{
    try {
        weft::run_blocking(open_and_live(orders));
    } catch (const std::exception& e) {
        std::cout << "worker: " << e.what() << '\n';
        return 2;
    }
    return 0;
}

}  // namespace weft_crash
