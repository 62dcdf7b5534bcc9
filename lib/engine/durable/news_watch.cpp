#include "news_watch.hpp"

#include "answer_watch.hpp"
#include "durable_core.hpp"
#include "engine/commit/store_call.hpp"

#include <weft/async/wait/deadline.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace weft {

task<void> news_watch::watch()
{
    store_news* const news = core_.store.news();
    if (!news) co_return;
    const auto inbox = std::make_shared<news_inbox>();
    const store_news::subscription heard =
        news->subscribe([inbox](const store_notice& notice) { inbox->add(notice); });
    for (;;) {
        co_await inbox->wait();
        const std::vector<store_notice> notices = inbox->take();
        for (const store_notice& each : notices) pass_on(each);
        for (const store_notice& each : notices)
            if (each.what == store_notice::kind::signal) co_await look_at_signals(each.thread);
    }
}

/** A look at the run is sooner answered than a heartbeat, which is written. */
task<void> news_watch::look_at_signals(std::uint64_t thread)
{
    for (const std::shared_ptr<held_run>& each : core_.runs->all()) {
        if (thread != 0 && each->news_name != thread) continue;
        task<std::optional<run_record>> asking =
            with_deadline(core_.store.find_run(each->id), core_.options.heartbeat_every);
        const store_answer<std::optional<run_record>> run = co_await answer_of(std::move(asking));
        const bool is_ours = run && *run.value && (*run.value)->worker == core_.lease.worker();
        if (is_ours && (*run.value)->signal != run_signal::none)
            core_.runs->signal_soon(each->id, (*run.value)->signal);
        if (!run) core_.lease.want_heartbeat();
    }
}

void news_watch::pass_on(const store_notice& notice)
{
    const bool is_anything = notice.what == store_notice::kind::anything;
    // A heartbeat brings what is asked of the runs that are held here.
    if (is_anything && core_.runs->holds(notice.thread)) core_.lease.want_heartbeat();
    if (is_anything || notice.what == store_notice::kind::answer) answers_.look_at(notice.thread);
    if (is_anything || notice.thread == 0) core_.changes->notify();
    else core_.changes->notify_about(notice.thread);
}

}  // namespace weft
