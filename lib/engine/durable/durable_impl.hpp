#pragma once

#include "answer_watch.hpp"
#include "durable_core.hpp"
#include "news_watch.hpp"
#include "run_claimer.hpp"
#include "run_driver.hpp"
#include "run_requests.hpp"
#include "thread_editor.hpp"
#include "thread_questions.hpp"
#include "thread_reader.hpp"
#include "worker_loop.hpp"

#include <weft/async/loop/stop_scope.hpp>
#include <weft/async/task.hpp>
#include <weft/async/task/task_context.hpp>
#include <weft/engine/durable_engine.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace weft {

/** All of a durable engine, shared with the tasks that it gave out.
 *
 *  It owns what its members share, its members, and the coroutines that run while it is open: the heartbeat, the watch
 *  for answers from elsewhere, and the one for news of the store. The coroutines of its members refer to it and do not
 *  share it: what the engine gives out does.
 */
struct durable_engine::impl {
    impl(checkpoint_store& store, std::shared_ptr<const durable_graphs> graphs, durable_options options)
        : core{store, std::move(graphs), std::move(options)}
    {
    }
    impl(const impl&) = delete;
    impl& operator=(const impl&) = delete;

    [[nodiscard]] task<void> open();
    [[nodiscard]] task<void> close();
    void use_graphs(std::shared_ptr<const durable_graphs> graphs);
    /** Ends the heartbeat: no other process hears of this one any more. */
    void shut();
    [[nodiscard]] task<run_result> replay(thread_key from, std::int64_t sequence, durable_request request);

    durable_core core;
    thread_reader reader{core};
    thread_questions questions{core};
    answer_watch answers{core};
    news_watch news{core, answers};
    run_claimer claimer{core};
    run_driver driver{core, answers};
    thread_editor editor{core, reader, questions, claimer, driver};
    run_requests requests{core, reader, questions, claimer, driver, editor};
    worker_loop worker{core, claimer, driver};

private:
    [[nodiscard]] task<void> beat();
    /** What the process says that it can run; empty: everything. */
    [[nodiscard]] std::vector<graph_ability> abilities() const;

    stop_scope scope_;
    task_context context_;
    task<void> hearing_;
    task<void> watching_;
    task<void> naming_;
    task<void> beating_;  // last: their frames refer to what stands above
};

}  // namespace weft
