#include "chaos_plan.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/store/postgres_store.hpp>

#include <unistd.h>

#include <memory>
#include <optional>
#include <sstream>

namespace weft_chaos {

namespace {

using namespace std::chrono_literals;

/** So few that each process has some of the threads. */
constexpr int slots = 3;

/** One process. Its coroutines end with it, as a rule by a signal. */
class worker_process {
public:
    worker_process(weft::postgres_store& store, worker_orders orders)
        : store_{store}, orders_{std::move(orders)}, random_{orders_.seed}, ids_{weft::real_clock(), random_}
    {
    }

    weft::task<void> live()
    {
        worker_ = co_await store_.enter("chaos", worker_lifetime);
        const weft::task_context& context = co_await weft::this_task::context();
        weft::scope parts{context};
        parts.spawn(beat());
        parts.spawn(reap());
        for (int i = 0; i < slots; ++i) parts.spawn(take_runs());
        co_await parts.join();
    }

private:
    weft::task<void> beat()
    {
        for (;;) {
            std::optional<bool> is_alive;
            try {
                const weft::heartbeat_report report = co_await store_.heartbeat(worker_, worker_lifetime);
                is_alive = report.is_alive;
            } catch (const weft::error&) {
            }
            // A worker that was given up begins anew. Without fences it goes on and does its damage.
            if (is_alive && !*is_alive && !orders_.is_unfenced) ::_exit(3);
            co_await weft::sleep_for(worker_lifetime / 4);
        }
    }

    weft::task<void> reap()
    {
        for (;;) {
            try {
                static_cast<void>(co_await store_.reap(100));
            } catch (const weft::error&) {
            }
            co_await weft::sleep_for(200ms);
        }
    }

    weft::task<void> take_runs()
    {
        for (;;) {
            std::vector<weft::run_claim> claims;
            weft::errc failed{};
            try {
                claims = co_await store_.claim(worker_, 1);
            } catch (const weft::error& e) {
                failed = e.code();
            }
            // A run may be ours without our knowing: the next process gets it when our lease has run out.
            if (failed == weft::errc::store_outcome_unknown) ::_exit(4);
            if (!claims.empty()) co_await carry_out(claims.front().fence);
            co_await weft::sleep_for(30ms);
        }
    }

    weft::task<void> carry_out(weft::write_fence fence)
    {
        std::optional<weft::checkpoint> head = co_await load_head(fence.thread);
        chain_link last;
        if (head) last = chain_link::parse(head->body);
        const std::string run = fence.run.text();
        if (last.run != run) last.step = 0;
        while (last.step < orders_.steps) {
            chain_link next;
            next.run = run;
            next.step = last.step + 1;
            next.previous = last.link;
            const std::string made = last.link + std::to_string(worker_) + "/" + std::to_string(random_.next());
            next.link = weft::hash_of(made, store_.key()).text();
            co_await weft::sleep_for(std::chrono::milliseconds{20 + random_.below(60)});
            const bool is_written = co_await write(fence, next);
            if (!is_written) co_return;
            last = next;
        }
        co_await finish(fence);
    }

    weft::task<std::optional<weft::checkpoint>> load_head(weft::thread_key thread)
    {
        for (;;) {
            std::optional<weft::checkpoint> head;
            bool is_read = true;
            try {
                head = co_await store_.load(thread, std::nullopt);
            } catch (const weft::error&) {
                is_read = false;
            }
            if (is_read) co_return head;
            co_await weft::sleep_for(50ms);
        }
    }

    /** Takes the fence that would let it pass, as a store without fences would. */
    weft::task<void> forge(weft::write_fence& fence)
    {
        const std::optional<weft::checkpoint> head = co_await load_head(fence.thread);
        fence.head = head ? head->sequence : 0;
        try {
            const std::optional<weft::run_record> record = co_await store_.find_run(fence.run);
            if (record) fence.epoch = record->epoch;
        } catch (const weft::error&) {
        }
    }

    /** @return  False if another worker has the thread. */
    weft::task<bool> write(weft::write_fence& fence, chain_link link)
    {
        const weft::checkpoint_id id = ids_.next<weft::checkpoint_id>();
        bool is_doubtful = false;
        for (;;) {
            if (orders_.is_unfenced) co_await forge(fence);
            weft::checkpoint_draft draft;
            draft.id = id;
            draft.step = static_cast<std::uint64_t>(link.step);
            draft.body = link.text();
            std::optional<weft::commit_result> result;
            try {
                result = co_await store_.commit(fence, std::move(draft));
            } catch (const weft::error& e) {
                is_doubtful |= e.code() == weft::errc::store_outcome_unknown;
            }
            if (result && result->state == weft::write_state::ok) {
                fence.head = result->head;
                co_return true;
            }
            // A write whose answer was lost may count after this look for it: then the next attempt is refused, and
            // looks again.
            if (is_doubtful) {
                const std::optional<weft::checkpoint> head = co_await load_head(fence.thread);
                if (head && head->id == id) {
                    fence.head = head->sequence;
                    co_return true;
                }
            }
            if (result) co_return false;
            co_await weft::sleep_for(20ms);
        }
    }

    weft::task<void> finish(weft::write_fence fence)
    {
        for (;;) {
            if (orders_.is_unfenced) co_await forge(fence);
            const weft::run_outcome outcome{weft::run_phase::finished};
            bool is_told = true;
            try {
                static_cast<void>(co_await store_.finish(fence, outcome));
            } catch (const weft::error&) {
                is_told = false;  // done or not: the next attempt is refused if it was
            }
            if (is_told) co_return;
            co_await weft::sleep_for(20ms);
        }
    }

    weft::postgres_store& store_;
    worker_orders orders_;
    weft::random_source random_;
    weft::id_source ids_;
    weft::worker_id worker_ = 0;
};

weft::task<void> open_and_live(worker_orders orders)
{
    weft::postgres_options options{orders.connection};
    options.schema = orders.schema;
    options.connections = 1;
    options.request_timeout = 2s;
    options.may_migrate = false;
    const std::unique_ptr<weft::postgres_store> store = co_await weft::postgres_store::open(std::move(options));
    worker_process process{*store, std::move(orders)};
    co_await process.live();
}

}  // namespace

std::string chain_link::text() const
{
    return run + ' ' + std::to_string(step) + ' ' + (previous.empty() ? "none" : previous) + ' ' + link;
}

chain_link chain_link::parse(const std::string& text)
{
    chain_link found;
    std::istringstream words{text};
    words >> found.run >> found.step >> found.previous >> found.link;
    if (found.previous == "none") found.previous.clear();
    return found;
}

int work(const worker_orders& orders)
{
    try {
        weft::run_blocking(open_and_live(orders));
    } catch (const weft::error&) {
        return 2;  // the server is away: the next process tries again
    }
    return 0;
}

}  // namespace weft_chaos
