#include "saved_run.hpp"

#include "graph/run_input.hpp"
#include "terminal/console.hpp"
#include "thread_status.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>
#include <weft/engine/checkpoint/checkpoint_outline.hpp>
#include <weft/engine/checkpoint/checkpoint_reader.hpp>
#include <weft/engine/checkpoint/newest_checkpoint.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/graph/answer_parsing.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iostream>
#include <utility>

namespace weft_cli {

namespace {

using namespace std::chrono_literals;

/** How often it is checked whether a run has been left by its process. */
constexpr std::chrono::milliseconds look_every = 250ms;

/** A run in the making: what its steps share. */
struct saved_work {
    const saved_run_order& order;
    weft::checkpoint_store& store;
    weft::durable_engine& durable;
    weft::run_request::event_function watcher;
    said_answers said;

    /** @param brings_input   Whether the inputs of the command line join. */
    [[nodiscard]] weft::run_request request(bool brings_input) const
    {
        weft::run_request made = weft::run_request{order.thread.thread}.options(order.options).on_event(watcher);
        if (brings_input && !order.inputs.empty()) made.input(boost::json::object{order.inputs});
        return made;
    }
    void tell(const std::string& text) const
    {
        if (!order.is_quiet) std::cerr << "weft " << order.command << ": " << console::harmless_line(text) << '\n';
    }
};

bool is_idle(const weft::run_record& run)
{
    return run.phase == weft::run_phase::waiting || run.phase == weft::run_phase::ready;
}

weft::task<std::optional<weft::run_record>> look(const saved_work& at)
{
    static_cast<void>(co_await at.store.reap(1'000));
    std::optional<weft::run_record> active = co_await at.store.active_run(at.order.thread);
    co_return active;
}

weft::task<std::int64_t> head_of(const saved_work& at)
{
    weft::task<std::vector<weft::checkpoint_info>> reading =
        at.store.history(at.order.thread, weft::history_page{.count_max = 1});
    const std::vector<weft::checkpoint_info> newest = co_await std::move(reading);
    co_return newest.empty() ? 0 : newest.front().sequence;
}

/** The active run of the thread. One that runs elsewhere may have lost its process a moment ago: it is waited for until
 *  it makes a step, or its process would have been given up. */
weft::task<std::optional<weft::run_record>> settled_run(const saved_work& at)
{
    std::optional<weft::run_record> active = co_await look(at);
    if (!active || active->phase != weft::run_phase::running) co_return active;
    const std::int64_t head = co_await head_of(at);
    const std::chrono::milliseconds most = times_for(at.order.place).lifetime + 1s;
    at.tell("another process has the thread; waiting up to " +
            std::to_string(std::chrono::ceil<std::chrono::seconds>(most).count()) + " s, in case it was killed");
    for (std::chrono::milliseconds waited{0}; waited < most; waited += look_every) {
        co_await weft::sleep_for(look_every);
        active = co_await look(at);
        if (!active || active->phase != weft::run_phase::running) co_return active;
        const std::int64_t now = co_await head_of(at);
        if (now != head) co_return active;
    }
    co_return active;
}

/** Sees to it that the run before ends: if its process dies, no other one would take it. Until it is stopped. */
weft::task<void> tend_run_before(const saved_work& at, weft::run_id before)
{
    for (;;) {
        co_await weft::sleep_for(look_every);
        const std::optional<weft::run_record> active = co_await look(at);
        if (!active || active->id != before) co_return;
        if (active->phase != weft::run_phase::ready) continue;
        try {
            static_cast<void>(co_await at.durable.resume(at.order.thread));
        } catch (const weft::error& e) {  // another process was quicker
            if (e.code() != weft::errc::thread_not_found) throw;
        }
    }
}

weft::task<weft::run_result> run_in_turn(const saved_work& at, std::optional<weft::run_record> before)
{
    weft::durable_request request{at.request(true)};
    request.of(at.order.graph).for_tenant(at.order.thread.tenant).on_busy(at.order.busy);
    request.idempotent(at.order.idempotency_key);
    if (at.order.begins_anew) request.anew();
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope beside{context, weft::failure_policy::keep_going};
    const bool waits = before && before->phase == weft::run_phase::running &&
                       at.order.busy != weft::busy_policy::reject;
    if (waits) {
        at.tell(at.order.busy == weft::busy_policy::queue ? "waiting for the end of the thread's run"
                                                          : "cancelling the thread's run");
        beside.spawn(tend_run_before(at, before->id));
    }
    weft::run_result result = co_await at.durable.run(std::move(request));
    beside.request_stop();
    co_return result;
}

/** Says of a thread whose last run failed that this one goes on there. */
weft::task<void> tell_of_failure(const saved_work& at)
{
    const std::optional<weft::checkpoint> head = co_await at.store.load(at.order.thread, std::nullopt);
    const bool has_failed = head && head->kind == weft::checkpoint_kind::finish && !head->node.empty();
    if (has_failed)
        at.tell("the last run of thread '" + at.order.thread.thread + "' failed at '" + head->node +
                "'; going on there. --anew begins at the start");
}

weft::task<std::optional<weft::checkpoint>> newest_of(const saved_work& at)
{
    co_return co_await require_checkpoint(at.store, at.order.place, at.order.thread);
}

/** @par Errors  `usage_error` if the thread has nothing that could go on. */
weft::task<void> require_something_left(const saved_work& at)
{
    const auto load = [&] { return newest_of(at); };
    const auto read = [&](const weft::checkpoint& head) {
        return weft::read_outline(at.store, at.order.thread, head);
    };
    const auto outline = co_await weft::read_newest<weft::checkpoint_outline>(load, read);
    if (outline->is_unfinished) co_return;
    const std::string& thread = at.order.thread.thread;
    throw usage_error{"nothing is left to do in thread '" + thread + "': its last run is over. weft run FILE "
                      "--thread " + thread + " begins anew with what it left; "
                      "--from NUMBER --into NEW runs again from a checkpoint"};
}

/** Takes out of the answers what is for nodes that do not ask now, and keeps it until they do. */
std::vector<std::string> answers_for_now(saved_work& at, const std::vector<weft::open_question>& open)
{
    std::vector<std::string> now;
    for (const std::string& word : at.order.answers) {
        const auto later = at.order.answers_by_node.find(word.substr(0, word.find('=')));
        const bool is_known = later != at.order.answers_by_node.end();
        const bool asks_now = is_known && std::any_of(open.begin(), open.end(), [&](const auto& each) {
            return each.address == later->first || node_of_address(each.address) == later->first;
        });
        if (is_known && !asks_now) at.said.insert_or_assign(later->first, later->second);
        else now.push_back(word);
    }
    return now;
}

weft::task<void> answer_beforehand(saved_work& at)
{
    const std::vector<weft::open_question> open = co_await read_questions(at.store, at.order.thread);
    weft::question_answers answers = answers_to(open, answers_for_now(at, open));
    co_await at.durable.answer(at.order.thread, std::move(answers));
}

weft::task<weft::run_result> begin(saved_work& at)
{
    const saved_run_order& order = at.order;
    if (order.how == saved_run_order::way::replay) {
        weft::durable_request request{at.request(true)};
        request.of(order.graph).for_tenant(order.thread.tenant);
        weft::run_result replayed = co_await at.durable.replay(*order.source, order.from, std::move(request));
        co_return replayed;
    }
    const std::optional<weft::run_record> active = co_await settled_run(at);
    if (!order.answers.empty()) {
        co_await answer_beforehand(at);
    }
    const bool joins =
        order.busy != weft::busy_policy::replace && order.idempotency_key.empty() && !order.begins_anew;
    if (active && is_idle(*active) && joins) {
        if (active->phase == weft::run_phase::ready)
            at.tell(std::string{active->is_suspect ? "the process of the thread's run is gone"
                                                   : "the thread's run is ready"} +
                    "; going on from its last checkpoint");
        weft::task<weft::run_result> resuming =
            at.durable.resume(order.thread, weft::question_answers{}, at.request(true));
        weft::run_result resumed = co_await std::move(resuming);
        co_return resumed;
    }
    if (!active && order.how == saved_run_order::way::go_on) {
        co_await require_something_left(at);
    } else if (!active && !order.begins_anew) {
        co_await tell_of_failure(at);
    }
    weft::run_result result = co_await run_in_turn(at, active);
    co_return result;
}

/** What was said beforehand for a question. @par Errors  `usage_error` if it does not fit. */
std::optional<boost::json::value> said_for(const saved_work& at, const weft::open_question& open)
{
    const auto said = at.said.find(std::string{node_of_address(open.address)});
    if (said == at.said.end()) return std::nullopt;
    std::optional<boost::json::value> answer = weft::parse_answer(open.asked, said->second);
    const bool was_refused = !open.address.ends_with("#0");  // the node asks again in the same visit
    if (answer && !was_refused) return answer;
    throw usage_error{"--answer " + said->first + "=" + said->second + " does not fit: " +
                      question_text(open.asked) + "\nThe run waits in its thread: weft resume " +
                      at.order.thread.thread};
}

/** Asks at the terminal until an answer fits; nothing without a terminal. */
weft::task<std::optional<boost::json::value>> ask_person(const saved_run_order& order, const weft::open_question& open)
{
    const std::string node = console::harmless_line(node_of_address(open.address));
    const std::string text = "\n" + node + " asks: " + question_text(open.asked);
    std::string refused;
    for (;;) {
        const std::optional<std::string> line = co_await order.person->read_line(text + refused + "\n> ");
        if (!line) co_return std::nullopt;
        std::optional<boost::json::value> answer = weft::parse_answer(open.asked, *line);
        if (answer) co_return answer;
        const std::string said = line->substr(0, line->find_last_not_of("\r\n") + 1);
        refused = "\n('" + console::harmless_line(said) + "' is no answer to that)";
    }
}

weft::task<std::optional<boost::json::value>> answer_for(const saved_work& at, const weft::open_question& open)
{
    std::optional<boost::json::value> said = said_for(at, open);
    if (said || !at.order.person) co_return said;
    std::optional<boost::json::value> answer = co_await ask_person(at.order, open);
    co_return answer;
}

/** Answers what can be answered here; each answer is kept before the next question is asked.
 *  @return   Whether any question was answered. */
weft::task<bool> answer_questions(const saved_work& at)
{
    const std::vector<weft::open_question> open = co_await read_questions(at.store, at.order.thread);
    bool has_answered = false;
    for (const weft::open_question& each : open) {
        const std::optional<boost::json::value> answer = co_await answer_for(at, each);
        if (!answer) continue;
        weft::question_answers kept;
        kept.emplace(each.address, *answer);
        co_await at.durable.answer(at.order.thread, std::move(kept));
        has_answered = true;
    }
    co_return has_answered;
}

/** The same; a stop at a question leaves the run as it is. */
weft::task<bool> answer_unless_stopped(const saved_work& at)
{
    try {
        const bool has_answered = co_await answer_questions(at);
        co_return has_answered;
    } catch (const weft::error& e) {
        if (e.code() != weft::errc::cancelled) throw;
    }
    co_return false;
}

weft::task<weft::run_result> run_with_questions(saved_work& at)
{
    weft::run_result result = co_await begin(at);
    while (result.status == weft::run_status::paused) {
        const bool has_answered = co_await answer_unless_stopped(at);
        if (!has_answered) co_return result;
        weft::task<weft::run_result> resuming =
            at.durable.resume(at.order.thread, weft::question_answers{}, at.request(false));
        const std::chrono::nanoseconds before = result.elapsed;
        result = co_await std::move(resuming);
        result.elapsed += before;
    }
    co_return result;
}

weft::task<void> note_state_before(weft::checkpoint_store& store, const saved_run_order& order,
                                   saved_run_report& report)
{
    report.before = order.first;
    const bool is_replay = order.how == saved_run_order::way::replay;
    const weft::thread_key thread = is_replay ? *order.source : order.thread;
    if (is_replay) {
        weft::checkpoint from = co_await require_checkpoint(store, order.place, thread, order.from);
        report.before = co_await weft::read_state(store, thread, std::move(from));
        co_return;
    }
    const auto load = [&] { return store.load(thread, std::nullopt); };
    const auto read = [&](const weft::checkpoint& head) { return weft::read_state(store, thread, head); };
    std::optional<boost::json::object> newest = co_await weft::read_newest<boost::json::object>(load, read);
    if (newest) report.before = std::move(*newest);
}

weft::task<void> note_thread_after(const saved_work& at, saved_run_report& report)
{
    const auto load = [&] { return at.store.load(at.order.thread, std::nullopt); };
    const auto read = [&](const weft::checkpoint& head) {
        report.saved.head = head.sequence;
        return weft::read_outline(at.store, at.order.thread, head);
    };
    const std::optional<weft::checkpoint_outline> newest =
        co_await weft::read_newest<weft::checkpoint_outline>(load, read);
    if (newest) report.saved.is_unfinished = newest->is_unfinished;
    report.saved.questions = co_await read_questions(at.store, at.order.thread);
}

weft::task<void> leave(const saved_work& at, saved_run_report& report)
{
    co_await at.durable.close();
    co_await note_thread_after(at, report);
}

}  // namespace

weft::task<weft::run_result> keep_run(const saved_run_order& order, saved_run_report& report,
                                      weft::run_request::event_function watcher)
{
    const bool begins = order.how == saved_run_order::way::begin_or_go_on;
    weft::task<opened_store> opening = open_whole_store(order.place, begins ? store_use::make : store_use::change);
    opened_store opened = co_await std::move(opening);
    const std::shared_ptr<weft::checkpoint_store> store = std::move(opened.runs);
    if (order.memory) {
        co_await order.memory->open(std::move(opened.items), order.place);
    }
    report.saved.name = order.thread.thread;
    report.saved.store = order.place.shown();
    co_await note_state_before(*store, order, report);
    weft::durable_engine durable{*store, order.graphs, order.keeping};
    co_await durable.open();
    saved_work at{order, *store, durable, std::move(watcher), order.said};
    weft::run_result result;
    std::exception_ptr failed;
    try {
        result = co_await run_with_questions(at);
    } catch (...) {
        failed = std::current_exception();
    }
    try {
        co_await weft::shielded(leave(at, report), times_for(order.place).lifetime);
    } catch (const weft::error& e) {
        at.tell(std::string{"the store was not left in order: "} + e.what());
    }
    if (order.memory) order.memory->close();
    if (failed) std::rethrow_exception(failed);
    co_return result;
}

}  // namespace weft_cli
