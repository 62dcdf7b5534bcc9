#include <boost/test/unit_test.hpp>

#include "sqlite_fixture.hpp"

#include <weft/async/sleep.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/testing/simulation.hpp>

#include <algorithm>
#include <sstream>
#include <vector>

namespace sqlite_model_cases {

using namespace sqlite_tests;

BOOST_AUTO_TEST_SUITE(sqlite_model_test)

/** Does the same to two stores and compares all that they answer, as text. */
class twin_stores {
public:
    twin_stores(weft::checkpoint_store& left, weft::checkpoint_store& right, weft::random_source& random)
        : left_{left}, right_{right}, random_{random}
    {
    }

    task<void> step()
    {
        switch (random_.below(16)) {
        case 0: co_return co_await enter();
        case 1: co_return co_await beat();
        case 2: co_return co_await reap();
        case 3:
        case 4: co_return co_await enqueue();
        case 5:
        case 6: co_return co_await claim();
        case 7: co_return co_await resume();
        case 8: co_return co_await finish();
        case 9: co_return co_await signal();
        case 10:
        case 11:
        case 12: co_return co_await commit();
        case 13: co_return co_await journal();
        case 14: co_return co_await keep_house();
        default: co_return co_await weft::sleep_for(std::chrono::milliseconds{random_.below(300)});
        }
    }

    /** Everything that can be read. */
    task<void> compare_all()
    {
        for (const weft::run_id run : runs_) {
            const auto left = co_await left_.find_run(run);
            const auto right = co_await right_.find_run(run);
            same("find_run", left ? text_of(*left) : "none", right ? text_of(*right) : "none");
        }
        for (int i = 0; i < threads; ++i) co_await compare_thread(weft::thread_key{std::to_string(i), "tenant"});
    }

private:
    static constexpr int threads = 3;

    std::size_t any(std::size_t count) { return static_cast<std::size_t>(random_.below(count)); }
    weft::thread_key thread() { return weft::thread_key{std::to_string(any(threads)), "tenant"}; }
    std::string address() { return "a#" + std::to_string(any(2)) + (any(2) ? "/b#" + std::to_string(any(2)) : ""); }
    std::string top() { return any(2) ? std::string{} : "a#" + std::to_string(any(2)); }
    weft::write_fence fence()
    {
        if (fences_.empty()) return {};
        weft::write_fence chosen = any(4) ? fences_.back() : fences_[any(fences_.size())];
        if (any(10) == 0) ++chosen.head;
        return chosen;
    }

    void same(const std::string& what, const std::string& left, const std::string& right)
    {
        if (left != right) throw std::runtime_error{what + " differs: " + left + " and " + right};
    }

    static std::string text_of(const weft::run_record& run)
    {
        std::ostringstream out;
        out << run.id.text() << ' ' << run.thread.thread << ' ' << run.phase << ' ' << static_cast<int>(run.signal)
            << ' ' << run.graph << ' ' << run.input << ' ' << run.message << ' ' << run.attempt << ' '
            << run.is_suspect << ' '
            << run.worker << ' ' << run.epoch << ' ' << run.created.time_since_epoch().count() << ' '
            << run.ended.time_since_epoch().count();
        return out.str();
    }
    static std::string text_of(const weft::run_claim& claim)
    {
        std::ostringstream out;
        out << claim.fence.thread.thread << ' ' << claim.fence.run.text() << ' ' << claim.fence.epoch << ' '
            << claim.fence.head << ' ' << claim.attempt << ' ' << claim.is_suspect << ' '
            << claim.graph << ' ' << claim.input;
        return out.str();
    }
    static std::string text_of(const weft::checkpoint_info& info)
    {
        std::ostringstream out;
        out << info.id.text() << ' ' << info.sequence << ' ' << info.parent << ' ' << info.run.text() << ' '
            << info.epoch << ' ' << name_of(info.kind) << ' ' << info.step << ' ' << info.label << ' '
            << info.at.time_since_epoch().count() << ' ' << info.bytes;
        return out.str();
    }

    task<void> enter()
    {
        const std::chrono::milliseconds lifetime{200 + random_.below(2'000)};
        const weft::worker_id left = co_await left_.enter("w", lifetime);
        const weft::worker_id right = co_await right_.enter("w", lifetime);
        same("enter", std::to_string(left), std::to_string(right));
        newest_worker_ = left;
    }
    weft::worker_id some_worker()
    {
        return std::max<weft::worker_id>(0, newest_worker_ - static_cast<weft::worker_id>(random_.below(4)));
    }
    task<void> beat()
    {
        const weft::worker_id worker = some_worker();
        if (any(5) == 0) {
            co_await left_.leave(worker);
            co_await right_.leave(worker);
            co_return;
        }
        weft::heartbeat_report left = co_await left_.heartbeat(worker, std::chrono::seconds{1});
        weft::heartbeat_report right = co_await right_.heartbeat(worker, std::chrono::seconds{1});
        const auto text = [](weft::heartbeat_report& report) {
            std::sort(report.signals.begin(), report.signals.end(),
                      [](const auto& a, const auto& b) { return a.run < b.run; });
            std::string found = report.is_alive ? "alive" : "lost";
            for (const auto& each : report.signals)
                found += ' ' + each.run.text() + std::to_string(static_cast<int>(each.signal));
            return found;
        };
        same("heartbeat", text(left), text(right));
    }
    task<void> reap()
    {
        const std::size_t left = co_await left_.reap(100);
        const std::size_t right = co_await right_.reap(100);
        same("reap", std::to_string(left), std::to_string(right));
    }
    task<void> enqueue()
    {
        weft::new_run run{thread(), weft::run_id{next_id()}};
        run.graph_named("g").with_input("{}").on_busy(static_cast<weft::busy_policy>(any(3))).with_attempts_max(2);
        if (any(3) == 0) run.with_idempotency_key("key " + std::to_string(any(20)));
        if (any(2) == 0) run.started_by(some_worker());
        run.priority = static_cast<std::int32_t>(any(3)) - 1;
        const weft::serial_loop& loop = co_await weft::this_task::loop();
        if (any(4) == 0) run.not_before = loop.clock().system_now() + std::chrono::milliseconds{any(400)};
        runs_.push_back(run.id);
        const weft::run_admission left = co_await left_.enqueue(run);
        const weft::run_admission right = co_await right_.enqueue(run);
        const auto text = [](const weft::run_admission& admission) {
            return std::to_string(static_cast<int>(admission.what)) + ' ' + admission.id.text() + ' ' +
                   (admission.claim ? text_of(*admission.claim) : "");
        };
        same("enqueue", text(left), text(right));
        if (left.claim) fences_.push_back(left.claim->fence);
    }
    task<void> claim()
    {
        const weft::worker_id worker = some_worker();
        const std::size_t max = 1 + any(2);
        const std::vector<weft::run_claim> left = co_await left_.claim(worker, max);
        const std::vector<weft::run_claim> right = co_await right_.claim(worker, max);
        same("claims", std::to_string(left.size()), std::to_string(right.size()));
        for (std::size_t i = 0; i < left.size(); ++i) {
            same("claim", text_of(left[i]), text_of(right[i]));
            fences_.push_back(left[i].fence);
        }
    }
    task<void> resume()
    {
        if (runs_.empty()) co_return;
        const weft::run_id run = runs_[any(runs_.size())];
        const weft::worker_id worker = some_worker();
        const auto left = co_await left_.resume(worker, run);
        const auto right = co_await right_.resume(worker, run);
        same("resume", left ? text_of(*left) : "none", right ? text_of(*right) : "none");
        if (left) fences_.push_back(left->fence);
    }
    task<void> finish()
    {
        const weft::write_fence by = fence();
        weft::write_state left;
        weft::write_state right;
        if (any(4) == 0) {
            left = co_await left_.yield(by);
            right = co_await right_.yield(by);
        } else {
            weft::run_outcome outcome{static_cast<weft::run_phase>(3 + any(4)), "m"};
            outcome.for_answers_below(top());
            left = co_await left_.finish(by, outcome);
            right = co_await right_.finish(by, outcome);
        }
        same("finish", std::string{name_of(left)}, std::string{name_of(right)});
    }
    task<void> signal()
    {
        const weft::thread_key which = thread();
        const auto what = static_cast<weft::run_signal>(any(3));
        const auto left = co_await left_.signal(which, what);
        const auto right = co_await right_.signal(which, what);
        same("signal", left ? left->text() : "none", right ? right->text() : "none");
    }
    task<void> commit()
    {
        const weft::write_fence by = fence();
        weft::checkpoint_draft draft = draft_of("body " + std::to_string(any(1'000)));
        draft.step = any(100);
        if (any(5) == 0) draft.label = "named";
        if (any(3) == 0) draft.settled = {"a#" + std::to_string(any(2))};
        const std::string text = "blob " + std::to_string(any(10));
        weft::blob piece{weft::hash_of(text, std::vector<weft::content_hash>{}, weft::hash_key{}), text, {}};
        if (any(2) == 0) draft.links = {piece.hash};
        draft.blobs.push_back(std::move(piece));
        const weft::commit_result left = co_await left_.commit(by, draft);
        const weft::commit_result right = co_await right_.commit(by, draft);
        same("commit", std::string{name_of(left.state)} + std::to_string(left.head),
             std::string{name_of(right.state)} + std::to_string(right.head));
        if (left.state != weft::write_state::ok) co_return;
        for (weft::write_fence& known : fences_)
            if (known.epoch == by.epoch && known.run == by.run) known.head = left.head;
    }
    task<void> journal()
    {
        const weft::write_fence by = fence();
        const std::string at = address();
        if (any(2) == 0) {
            const weft::effect_record effect{at, static_cast<weft::effect_phase>(any(3)), "k", "b"};
            const weft::write_state left = co_await left_.record(by, effect);
            const weft::write_state right = co_await right_.record(by, effect);
            same("record", std::string{name_of(left)}, std::string{name_of(right)});
            co_return;
        }
        const weft::question_record question{at, "why?"};
        const weft::write_state left = co_await left_.ask(by, question);
        const weft::write_state right = co_await right_.ask(by, question);
        same("ask", std::string{name_of(left)}, std::string{name_of(right)});
        const weft::thread_key which = thread();
        const std::string answered = address();
        const weft::answer_state said = co_await left_.answer(which, answered, "so");
        const weft::answer_state heard = co_await right_.answer(which, answered, "so");
        same("answer", std::string{name_of(said)}, std::string{name_of(heard)});
    }
    task<void> keep_house()
    {
        const weft::thread_key which = thread();
        const auto sequence = static_cast<std::int64_t>(1 + any(5));
        switch (any(4)) {
        case 0: {
            const weft::retention what = weft::retention{.keep_last = any(4)};
            const weft::prune_report left = co_await left_.prune(which, what);
            const weft::prune_report right = co_await right_.prune(which, what);
            const auto text = [](const weft::prune_report& report) {
                return std::to_string(report.checkpoints) + ' ' + std::to_string(report.blobs) + ' ' +
                       std::to_string(report.bytes);
            };
            same("prune", text(left), text(right));
            co_return;
        }
        case 1: {
            if (any(3) != 0) co_return;
            const bool left = co_await left_.drop(which);
            const bool right = co_await right_.drop(which);
            same("drop", std::to_string(left), std::to_string(right));
            co_return;
        }
        case 2: {
            const weft::thread_key to = thread();
            const weft::checkpoint_id id{next_id()};
            const bool left = co_await left_.fork(which, sequence, to, id);
            const bool right = co_await right_.fork(which, sequence, to, id);
            same("fork", std::to_string(left), std::to_string(right));
            co_return;
        }
        default: {
            const std::string name = any(2) == 0 ? "" : "label";
            const bool left = co_await left_.label(which, sequence, name);
            const bool right = co_await right_.label(which, sequence, name);
            same("label", std::to_string(left), std::to_string(right));
        }
        }
    }

    task<void> compare_thread(weft::thread_key which)
    {
        const std::string left = co_await text_of_thread(left_, which);
        const std::string right = co_await text_of_thread(right_, which);
        same("thread " + which.thread, left, right);
    }
    static task<std::string> text_of_thread(weft::checkpoint_store& store, weft::thread_key which)
    {
        std::ostringstream out;
        const auto active = co_await store.active_run(which);
        out << (active ? text_of(*active) : "idle");
        const auto history = co_await store.history(which, weft::history_page{});
        for (const weft::checkpoint_info& info : history) out << "\n" << text_of(info);
        const auto effects = co_await store.effects(which);
        for (const weft::effect_record& effect : effects)
            out << "\neffect " << effect.address << ' ' << name_of(effect.phase) << ' ' << effect.epoch;
        const auto questions = co_await store.questions(which);
        for (const weft::question_record& question : questions)
            out << "\nquestion " << question.address << ' ' << static_cast<int>(question.phase) << ' '
                << question.asked.time_since_epoch().count() << ' ' << question.answered.time_since_epoch().count();
        const weft::thread_usage usage = co_await store.usage(which);
        out << "\n" << usage.checkpoints << ' ' << usage.blobs << ' ' << usage.bytes;
        const auto listed = co_await store.threads(which.tenant, "", 10);
        for (const weft::thread_summary& each : listed)
            out << "\n" << each.thread.thread << ' ' << each.head << ' ' << (each.active ? each.active->text() : "")
                << ' ' << each.changed.time_since_epoch().count();
        co_return out.str();
    }

    weft::checkpoint_store& left_;
    weft::checkpoint_store& right_;
    weft::random_source& random_;
    std::vector<weft::run_id> runs_;
    std::vector<weft::write_fence> fences_;
    weft::worker_id newest_worker_ = 0;
};

task<void> walk(const store_file& file, std::uint64_t seed, int steps)
{
    const store_ptr store = co_await weft::sqlite_store::open(file.options());
    weft::memory_store memory{weft::hash_key{}};
    weft::random_source random{seed};
    twin_stores both{memory, *store, random};
    for (int i = 0; i < steps; ++i) {
        co_await both.step();
        if (i % 10 == 0) co_await both.compare_all();
    }
    co_await both.compare_all();
}

BOOST_AUTO_TEST_CASE(it_answers_as_the_store_in_memory_does_whatever_is_asked)
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const store_file file{"model"};
        weft::testing::simulation sim{seed};
        BOOST_TEST_CONTEXT("seed " << seed) sim.run(walk(file, seed, 300));
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sqlite_model_cases
