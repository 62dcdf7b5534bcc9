#include <boost/test/unit_test.hpp>

#include "durable/fork_tests.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/base/error.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/store/sqlite_store.hpp>
#include <weft/testing/crash_kit.hpp>

#include <atomic>
#include <fstream>
#include <stdexcept>

#include <unistd.h>

using weft::testing::crash_report;
using weft::testing::crash_round;

BOOST_AUTO_TEST_SUITE(sqlite_crash_kit_test)

#if WEFT_TESTS_FORK

namespace {

constexpr weft::state_key<std::int64_t, weft::add> sum{"sum"};

enum class flaw { none, forgets_the_key, charges_outside, forgets_its_state };

/** Two nodes in a row with an effect each. */
std::shared_ptr<const weft::durable_graphs> make_graphs(const crash_round& round, flaw with)
{
    const auto pay = [&round, with](weft::node_context& ctx) -> weft::task<void> {
        return [](weft::node_context& at, const crash_round& here, flaw wrong) -> weft::task<void> {
            const auto paying = [&here, wrong](const weft::effect_context& effect) -> std::int64_t {
                if (wrong == flaw::forgets_the_key) {
                    static std::atomic<int> chance{0};
                    const std::string own = std::to_string(::getpid()) + "-" + std::to_string(++chance);
                    here.effect(weft::effect_context{effect.address(), own});
                } else {
                    here.effect(effect);
                }
                return 1;
            };
            const std::int64_t paid = co_await at.once("pay", paying);
            if (wrong == flaw::charges_outside) {
                // What stands outside of `once` is done by every attempt.
                std::ofstream{here.folder() / "outside", std::ios::app} << "x";
            }
            at.set(sum, paid);
        }(ctx, round, with);
    };
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(weft::graph_builder{"two"}
                    .state(sum)
                    .node("a", pay)
                    .node("b", pay)
                    .edge(weft::start, "a")
                    .edge("a", "b")
                    .build());
    return graphs;
}

weft::task<void> serve(const crash_round& round, flaw with)
{
    weft::sqlite_options file{(round.folder() / "runs.db").string()};
    file.sync = weft::sqlite_sync::normal;
    const auto real = co_await weft::sqlite_store::open(std::move(file));
    weft::testing::crash_store store{*real, round};
    weft::durable_engine durable{store, make_graphs(round, with)};
    co_await durable.open();
    co_await durable.recover();
    weft::durable_request once{"t"};
    once.idempotent("t");
    const weft::run_result result = co_await durable.run(std::move(once));
    boost::json::object told = result.state.to_json();
    if (std::ifstream outside{round.folder() / "outside"}; outside && with == flaw::charges_outside) {
        std::string all;
        outside >> all;
        told["outside"] = all.size();
    }
    if (with == flaw::forgets_its_state) told["process"] = ::getpid();
    round.end_with(told);
}

crash_report kill(flaw with)
{
    const auto process = [with](const crash_round& round) { weft::run_blocking(serve(round, with)); };
    return weft::testing::kill_at_every_write(process);
}

bool names(const crash_report& report, std::string_view what)
{
    for (const std::string& each : report.violations)
        if (each.find(what) != std::string::npos) return true;
    return false;
}

}  // namespace

BOOST_AUTO_TEST_CASE(M4_a_graph_that_is_right_survives_a_kill_at_every_write)
{
    const crash_report report = kill(flaw::none);
    BOOST_TEST(report.is_clean(), report.text());
    BOOST_TEST(report.writes >= 8u);
    BOOST_TEST(report.kills == 2 * report.writes);
}

BOOST_AUTO_TEST_CASE(M4_flaws_are_found)
{
    BOOST_TEST(names(kill(flaw::forgets_the_key), "under two keys"));
    BOOST_TEST(names(kill(flaw::charges_outside), "it ends with"));
    BOOST_TEST(names(kill(flaw::forgets_its_state), "it ends with"));
}

namespace {

constexpr weft::state_key<std::vector<std::string>, weft::append> said{"said"};

/** Two branches that each have an effect and ask a question. */
std::shared_ptr<const weft::durable_graphs> make_asking_graphs(const crash_round& round)
{
    const auto ask = [&round](weft::node_context& ctx) -> weft::task<void> {
        return [](weft::node_context& at, const crash_round& here) -> weft::task<void> {
            const auto paying = [&here](const weft::effect_context& effect) -> std::int64_t {
                here.effect(effect);
                return 1;
            };
            static_cast<void>(co_await at.once("pay", paying));
            const std::string answer = co_await at.ask<std::string>("Who?");
            at.set(said, answer);
        }(ctx, round);
    };
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(weft::graph_builder{"asking"}
                    .state(said)
                    .node("s", [] {})
                    .node("a", ask)
                    .node("b", ask)
                    .node("j", [] {})
                    .edge(weft::start, "s")
                    .edge("s", "a")
                    .edge("s", "b")
                    .edge("a", "j")
                    .edge("b", "j")
                    .build());
    return graphs;
}

/** How a person answers. */
enum class answering { by_resume, by_answer };

/** A person answers as long as questions are open, and says nothing more: what was answered goes on by itself. */
weft::task<void> serve_answers(const crash_round& round, answering how)
{
    weft::sqlite_options file{(round.folder() / "runs.db").string()};
    file.sync = weft::sqlite_sync::normal;
    const auto real = co_await weft::sqlite_store::open(std::move(file));
    weft::testing::crash_store store{*real, round};
    weft::durable_engine durable{store, make_asking_graphs(round)};
    co_await durable.open();
    co_await durable.recover();
    const weft::thread_key thread{"t"};
    const std::vector<weft::checkpoint_info> begun = co_await durable.history(thread);
    weft::durable_request once{"t"};
    if (begun.empty()) static_cast<void>(co_await durable.run(std::move(once)));
    const std::vector<weft::open_question> open = co_await durable.questions(thread);
    weft::question_answers answers;
    for (const weft::open_question& each : open) answers.emplace(each.address, "me");
    if (!open.empty() && how == answering::by_resume) static_cast<void>(co_await durable.resume(thread, answers));
    if (!open.empty() && how == answering::by_answer) co_await durable.answer(thread, answers);
    co_await durable.recover();
    const weft::thread_snapshot last = co_await durable.read(thread);
    boost::json::object told = last.state().to_json();
    told["is_unfinished"] = last.is_unfinished();
    round.end_with(told);
}

}  // namespace

BOOST_AUTO_TEST_CASE(F4_killed_at_every_write_while_it_is_answered_a_run_goes_on_by_recover_alone)
{
    for (const answering how : {answering::by_resume, answering::by_answer}) {
        const auto process = [how](const crash_round& round) { weft::run_blocking(serve_answers(round, how)); };
        const crash_report report = weft::testing::kill_at_every_write(process);
        BOOST_TEST(report.is_clean(), report.text());
        BOOST_TEST(report.writes >= 12u);
    }
}

BOOST_AUTO_TEST_CASE(M4_a_process_that_cannot_be_judged_is_refused)
{
    const auto refused = [](const std::function<void(const crash_round&)>& process, std::string_view why) {
        const auto says_why = [&](const weft::error& e) {
            return std::string_view{e.what()}.find(why) != std::string::npos;
        };
        BOOST_CHECK_EXCEPTION(static_cast<void>(weft::testing::kill_at_every_write(process)), weft::error, says_why);
    };
    refused([](const crash_round&) { throw std::runtime_error{"no luck"}; }, "no luck");
    refused([](const crash_round&) {}, "crash_round::end_with");
    refused([](const crash_round& round) { round.end_with(1); }, "crash_store");
}

#endif

BOOST_AUTO_TEST_SUITE_END()
