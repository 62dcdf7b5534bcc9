#include "thread_status.hpp"

#include "graph/run_input.hpp"
#include "store/question_text.hpp"
#include "terminal/people_lines.hpp"

#include <weft/graph/spec/spec_mistake.hpp>

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <vector>

namespace weft_cli {

namespace {

constexpr std::size_t threads_looked_at = 1'000;

weft::task<std::vector<std::string>> names_of_threads(weft::checkpoint_store& store, std::string tenant)
{
    std::vector<weft::thread_summary> all = co_await store.threads(std::move(tenant), "", threads_looked_at);
    std::vector<std::string> names;
    for (weft::thread_summary& one : all) names.push_back(std::move(one.thread.thread));
    co_return names;
}

/** Fails unless the store lists the thread: one whose runs all ended before their first checkpoint has neither a
 *  checkpoint nor an active run, and is there. */
weft::task<void> refuse_unknown_thread(weft::checkpoint_store& store, const store_place& place, weft::thread_key thread)
{
    const std::vector<std::string> names = co_await names_of_threads(store, thread.tenant);
    if (std::find(names.begin(), names.end(), thread.thread) != names.end()) co_return;
    const std::string known =
        names.empty() ? std::string{"; it has no threads"}
                      : weft::known_names(thread.thread, std::vector<std::string_view>{names.begin(), names.end()});
    const std::string whose = thread.tenant.empty() ? "" : " of the tenant '" + thread.tenant + "'";
    throw usage_error{"there is no thread '" + thread.thread + "'" + whose + " in " + place.shown() + known};
}

/** Whether the process that had a file last may still have it: the number in its lock file is that of a process. */
bool has_living_holder(const std::string& file)
{
    std::ifstream lock{file + ".lock"};
    pid_t holder = 0;
    if (!(lock >> holder) || holder <= 0) return false;
    return ::kill(holder, 0) == 0 || errno == EPERM;
}

std::string word_for_end(const weft::checkpoint_info& head)
{
    using kind = weft::checkpoint_kind;
    switch (head.kind) {
    case kind::finish: return head.node.empty() ? "finished" : "failed";
    case kind::cancel: return "cancelled";
    case kind::edit: return "idle";
    default: return "over";
    }
}

/** What became of the last run, once none is active. */
weft::task<void> tell_last_run(weft::checkpoint_store& store, thread_status& status)
{
    status.word = word_for_end(*status.head);
    if (status.head->kind == weft::checkpoint_kind::edit) status.detail = "changed or forked, and not run since";
    if (status.head->run.is_nil() || status.head->kind == weft::checkpoint_kind::edit) co_return;
    const std::optional<weft::run_record> last = co_await store.find_run(status.head->run);
    if (!last || !weft::is_over(last->phase)) co_return;
    status.word = name_of(last->phase);
    if (last->phase != weft::run_phase::finished && last->phase != weft::run_phase::cancelled)
        status.detail = last->message;
}

weft::task<void> tell_active_run(weft::checkpoint_store& store, const store_place& place, weft::thread_key thread,
                                 thread_status& status)
{
    const weft::run_phase phase = status.active->phase;
    status.word = name_of(phase);
    if (phase == weft::run_phase::running && place.what == store_place::kind::sqlite &&
        !has_living_holder(place.where)) {
        status.word = "left";
        status.detail = "its process is gone";
    }
    const std::vector<weft::question_record> asked = co_await store.questions(thread);
    if (phase == weft::run_phase::ready) {
        status.word = asked.empty() ? "left" : "ready";
        status.detail = asked.empty() ? "no process has it" : "all questions are answered";
    }
    const std::vector<weft::open_question> open = co_await read_questions(store, std::move(thread));
    status.questions = open.size();
    if (phase != weft::run_phase::waiting) co_return;
    status.detail = status.questions > 0 ? "asks " + counted_text(status.questions, "question")
                    : asked.empty()      ? status.active->message
                                         : std::string{"all questions are answered"};
}

}  // namespace

weft::task<weft::checkpoint> require_checkpoint(weft::checkpoint_store& store, const store_place& place,
                                                weft::thread_key thread, std::optional<std::int64_t> sequence)
{
    std::optional<weft::checkpoint> found = co_await store.load(thread, sequence);
    if (found) co_return std::move(*found);
    co_await require_thread(store, place, thread);
    const std::string whose = "thread '" + thread.thread + "' has no checkpoint";
    if (!sequence) throw usage_error{whose + " yet"};
    throw usage_error{whose + " " + std::to_string(*sequence) + ": weft history " + thread.thread + " lists them"};
}

weft::task<void> require_thread(weft::checkpoint_store& store, const store_place& place, weft::thread_key thread)
{
    weft::task<std::vector<weft::checkpoint_info>> reading = store.history(thread, weft::history_page{.count_max = 1});
    const std::vector<weft::checkpoint_info> newest = co_await std::move(reading);
    if (!newest.empty()) co_return;
    const std::optional<weft::run_record> active = co_await store.active_run(thread);
    if (active) co_return;
    co_await refuse_unknown_thread(store, place, std::move(thread));
}

weft::task<int> refuse_missing_thread(weft::checkpoint_store& store, const store_place& place, std::string thread)
{
    const weft::thread_key wrong{std::move(thread), place.tenant};
    co_await refuse_unknown_thread(store, place, wrong);
    throw usage_error{"thread '" + wrong.thread + "' has no checkpoint to go on from: begin it anew with weft run"};
}

std::pair<weft::thread_key, std::optional<std::int64_t>> checkpoint_named(std::string_view option,
                                                                         const std::string& word,
                                                                         const weft::thread_key& otherwise)
{
    const std::size_t at = word.rfind('@');
    weft::thread_key thread = otherwise;
    if (at != word.npos) thread.thread = word.substr(0, at);
    const std::string_view number = std::string_view{word}.substr(at == word.npos ? 0 : at + 1);
    std::int64_t sequence = 0;
    const auto [rest, failed] = std::from_chars(number.data(), number.data() + number.size(), sequence);
    const bool is_number = failed == std::errc{} && rest == number.data() + number.size() && sequence > 0;
    if (at != word.npos && number.empty() && at > 0) return {std::move(thread), std::nullopt};
    if (!is_number || thread.thread.empty())
        throw usage_error{std::string{option} + " " + word +
                          ": write the number of a checkpoint, or THREAD@NUMBER for one of another thread"};
    return {std::move(thread), sequence};
}

weft::task<thread_status> status_of(weft::checkpoint_store& store, const store_place& place, weft::thread_key thread)
{
    thread_status status;
    weft::task<std::vector<weft::checkpoint_info>> reading = store.history(thread, weft::history_page{.count_max = 1});
    std::vector<weft::checkpoint_info> newest = co_await std::move(reading);
    if (!newest.empty()) status.head = std::move(newest.front());
    status.active = co_await store.active_run(thread);
    weft::task<void> telling;
    if (status.active) telling = tell_active_run(store, place, std::move(thread), status);
    else if (status.head) telling = tell_last_run(store, status);
    else co_return status;
    co_await std::move(telling);
    co_return status;
}

}  // namespace weft_cli
