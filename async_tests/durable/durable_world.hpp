#pragma once

#include "engine/durable/durable_cases.hpp"
#include "engine/durable/durable_processes.hpp"

#include <weft/engine/scheduler/frontier.hpp>
#include <weft/store/role/forwarding_store.hpp>

#include <optional>

namespace weft_tests {

/** Where a thread stands when it has come to its end. */
struct thread_end {
    std::vector<std::string> words;
    std::int64_t total = 0;
    std::uint32_t steps = 0;
};

/** A process that takes over whatever it finds until the thread `t` has come to its end; it asks for the run if
 *  there is none. */
[[nodiscard]] inline weft::task<thread_end> carry_to_the_end(weft::checkpoint_store& store,
                                                             std::shared_ptr<const weft::durable_graphs> graphs,
                                                             weft::durable_options options = {})
{
    weft::durable_engine durable{store, std::move(graphs), std::move(options)};
    co_await durable.open();
    const weft::thread_key key{"t"};
    for (;;) {
        static_cast<void>(co_await durable.recover());
        const std::optional<weft::run_record> active = co_await store.active_run(key);
        const std::optional<weft::checkpoint> head = co_await store.load(key, std::nullopt);
        if (!active && head && head->kind == weft::checkpoint_kind::finish && head->node.empty()) break;
        if (!active) {
            static_cast<void>(co_await durable.run(in_thread("t")));
            continue;
        }
        co_await weft::sleep_for(20ms);
    }
    const weft::thread_snapshot last = co_await durable.read(key);
    thread_end end;
    end.words = sorted_words(last.state());
    end.total = last.state().get(total);
    end.steps = last.where().steps;
    co_return end;
}

/** The error that a task ends with. */
template <class T>
[[nodiscard]] weft::task<std::optional<weft::error>> error_from(weft::task<T> work)
{
    std::optional<weft::error> found;
    try {
        static_cast<void>(co_await std::move(work));
    } catch (const weft::error& e) {
        found = e;
    }
    co_return found;
}

/** Tells its process that it lives, whatever the store thinks: the process does not notice that it was given up. */
class deaf_store final : public weft::forwarding_store {
public:
    using forwarding_store::forwarding_store;
    weft::task<weft::heartbeat_report> heartbeat(weft::worker_id, std::chrono::milliseconds) override
    {
        weft::heartbeat_report report;
        report.is_alive = true;
        co_return report;
    }
};

}  // namespace weft_tests
