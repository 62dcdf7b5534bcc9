#include "runs.hpp"

#include <weft/async/wait/remote_signal.hpp>
#include <weft/base/error.hpp>
#include <weft/base/text/percent_encoded.hpp>
#include <weft/net/server/http_error.hpp>
#include <weft/store/role/store_news.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace weft::serve_detail {

task<run_record> require_run(serve_core& core, thread_key thread, std::string id)
{
    const std::optional<run_id> wanted = run_id::parse(id);
    std::optional<run_record> found;
    if (wanted) found = co_await core.stores.runs->find_run(*wanted);
    if (!found || found->thread != thread)
        throw http_error{404, "run_not_found", "the thread has no run '" + id + "'"};
    co_return std::move(*found);
}

task<run_page> search_runs(serve_core& core, run_query query, const field& after)
{
    const bool has_cursor = !query.after.empty();
    std::string wrong;
    try {
        co_return co_await core.stores.service->runs().search(std::move(query));
    } catch (const error& e) {
        if (!has_cursor || e.code() != errc::store_refused) throw;
        wrong = e.detail();
    }
    after.refuse(wrong);
}

task<std::optional<std::int64_t>> last_checkpoint(serve_core& core, thread_key thread, run_id run)
{
    constexpr std::size_t infos_a_page = 100;
    history_page page;
    page.count_max = infos_a_page;
    for (;;) {
        const std::vector<checkpoint_info> infos = co_await core.engine.history(thread, page);
        for (const checkpoint_info& info : infos) {
            page.before = info.sequence;
            if (info.run == run) co_return info.sequence;
        }
        if (infos.size() < infos_a_page) co_return std::nullopt;
    }
}

std::string place_of_run(std::string_view thread, run_id run)
{
    return "/threads/" + percent_encoded(thread) + "/runs/" + run.text();
}

task<bool> cancel_run(serve_core& core, run_record run)
{
    if (is_over(run.phase)) co_return false;
    // A signal goes to the active run of the thread, which may be another one.
    const std::optional<run_record> active = co_await core.stores.runs->active_run(run.thread);
    if (active && active->id == run.id) {
        (void)co_await core.engine.stop(run.thread);
        co_return true;
    }
    (void)co_await core.stores.service->runs().cancel_queued(run.id);
    co_return false;
}

task<std::optional<run_record>> wait_until_over(serve_core& core, run_record run)
{
    const auto heard = make_counted<remote_signal>();
    store_news* const news = core.stores.runs->news();
    store_news::subscription subscription;
    // Before the first look: what happens behind it is heard.
    if (news) {
        const auto wake = [heard, name = news->name_of(run.thread)](const store_notice& notice) {
            if (notice.thread == name || notice.thread == 0) heard->notify();
        };
        subscription = news->subscribe(wake);
    }
    for (;;) {
        std::optional<run_record> now = co_await core.stores.runs->find_run(run.id);
        if (!now || is_over(now->phase)) co_return now;
        // A notice may be lost.
        const time_point look_at = core.loop.now() + core.follower.look_every();
        (void)co_await heard->wait_until(look_at);
    }
}

task<void> stop_run_of_client(serve_core& core, run_id run)
{
    try {
        const std::optional<run_record> record = co_await core.stores.runs->find_run(run);
        if (record) (void)co_await cancel_run(core, *record);
    } catch (const error& e) {
        core.tell_error("a run whose client is gone", e.what());
    }
}

}  // namespace weft::serve_detail
