#include "news_watch.hpp"

#include "answer_watch.hpp"
#include "durable_core.hpp"

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
        for (const store_notice& each : inbox->take()) pass_on(each);
    }
}

void news_watch::pass_on(const store_notice& notice)
{
    const bool is_anything = notice.what == store_notice::kind::anything;
    // A heartbeat brings what is asked of the runs that are held here.
    if ((is_anything || notice.what == store_notice::kind::signal) && core_.runs->holds(notice.thread))
        core_.lease.want_heartbeat();
    if (is_anything || notice.what == store_notice::kind::answer) answers_.look_at(notice.thread);
    if (is_anything || notice.thread == 0) core_.changes->notify();
    else core_.changes->notify_about(notice.thread);
}

}  // namespace weft
