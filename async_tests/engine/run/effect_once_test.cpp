#include <boost/test/unit_test.hpp>

#include "engine/interrupts.hpp"

#include <weft/engine/scheduler/frontier.hpp>
#include <weft/testing/simulation/suspension_points.hpp>

#include <algorithm>

using namespace weft_tests;
using weft::effect_context;
using weft::effect_options;
using weft::memory_journal;

BOOST_AUTO_TEST_SUITE(effect_once_test)

namespace {

/** The world outside, which counts what is done to it. */
struct bank {
    int calls = 0;
    int undone = 0;
    std::map<std::string, int> charges;  // by key
    int fails_first = 0;
    weft::errc fails_with = weft::errc::connection_lost;
    bool charges_before_it_fails = false;

    [[nodiscard]] int charged() const
    {
        int sum = 0;
        for (const auto& [key, count] : charges) sum += count;
        return sum;
    }
};

/** Charges an account, which takes a second. One that honours keys charges once for each. */
task<std::int64_t> charge(bank& at, std::string key)
{
    co_await weft::sleep_for(1s);
    ++at.calls;
    const bool fails = at.fails_first > 0;
    if (!fails || at.charges_before_it_fails) at.charges[key] = 1;
    if (fails) {
        --at.fails_first;
        throw weft::error{at.fails_with, "bank", "on purpose"};
    }
    co_return 100 + at.charged();
}

task<std::optional<boost::json::value>> look_up(const bank& at, std::string key)
{
    co_await weft::sleep_for(1ms);
    if (!at.charges.contains(key)) co_return std::nullopt;
    co_return boost::json::value(100 + at.charged());
}

task<void> undo(bank& at, std::string key)
{
    co_await weft::sleep_for(1ms);
    ++at.undone;
    at.charges.erase(key);
}

/** What a node that pays does besides. */
struct payment {
    bank* at;
    effect_options options = {};
    bool asks_then = false;
    int fails_then = 0;
};

task<void> pay(node_context& context, payment& what)
{
    const auto call = [&what](const effect_context& effect) { return charge(*what.at, effect.key()); };
    effect_options options = what.options;
    const std::int64_t receipt = co_await context.once("charge", std::move(options), call);
    context.set(value, receipt);
    if (what.fails_then > 0) {
        --what.fails_then;
        throw weft::error{weft::errc::model_overloaded, "pay", "after the charge"};
    }
    if (!what.asks_then) co_return;
    question asked{"Good?"};
    const std::string said = co_await context.ask<std::string>(std::move(asked));
    context.set(words, said);
}

weft::graph paying(payment& what, int attempts = 1)
{
    const auto work = [&what](node_context& context) { return pay(context, what); };
    return empty_graph().node("pay", work, tries(attempts)).edge(weft::start, "pay").build();
}

run_request with_journal(std::shared_ptr<weft::effect_journal> journal)
{
    return run_request{}.journal(std::move(journal));
}

/** Breaks a run off while the charge is under way: what a crash leaves is the journal. */
void crash_during_the_charge(const weft::graph& graph, const std::shared_ptr<memory_journal>& journal,
                             std::chrono::nanoseconds after = 500ms)
{
    weft::testing::simulation sim{1};
    const weft::engine engine{graph};
    const weft::testing::simulation::root<run_result> run{sim, engine.run(with_journal(journal))};
    while (sim.elapsed() < after && sim.loop().next_deadline() &&
           *sim.loop().next_deadline() <= sim.clock().now() + (after - sim.elapsed()))
        sim.step();
    for (int i = 0; i < 20 && !sim.loop().next_deadline(); ++i) sim.step();
}

std::shared_ptr<memory_journal> new_journal() { return std::make_shared<memory_journal>("tenant/thread/run"); }

std::string phase_of(const memory_journal& journal, const std::string& address)
{
    const auto found = journal.effects().find(address);
    if (found == journal.effects().end()) return "none";
    switch (found->second.phase) {
    case weft::effect_phase::intended: return "intended";
    case weft::effect_phase::done: return "done";
    case weft::effect_phase::failed: return "failed";
    }
    return "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(without_a_journal_the_effect_is_just_had)
{
    bank at;
    payment what{&at};
    what.fails_then = 1;
    const run_result result = simulate(paying(what, 2));
    BOOST_TEST((result.status == run_status::finished), result.message());
    BOOST_TEST(at.calls == 2);
    BOOST_TEST(at.charged() == 1);  // the key is the same for both attempts even so
    BOOST_TEST(result.state.get(value) == 101);
}

BOOST_AUTO_TEST_CASE(a_retry_gets_the_outcome_that_was_written_down)
{
    bank at;
    payment what{&at};
    what.fails_then = 2;
    weft::testing::simulation sim{1};
    const auto journal = new_journal();
    const run_result result = run_in(sim, paying(what, 3), with_journal(journal));
    BOOST_TEST((result.status == run_status::finished), result.message());
    BOOST_TEST(at.calls == 1);
    BOOST_TEST(result.state.get(value) == 101);
    BOOST_TEST(journal->effects().empty());  // the visit is over
}

BOOST_AUTO_TEST_CASE(P16_what_stands_above_a_question_is_done_once_over_a_pause)
{
    bank at;
    payment what{&at};
    what.asks_then = true;
    const weft::graph graph = paying(what);
    weft::testing::simulation sim{1};
    const run_result paused = run_in(sim, graph, with_journal(new_journal()));
    BOOST_TEST(questions_of(paused) == "pay#1/ask#0");
    // The journal goes with the paused run.
    const run_result again = resume_in(sim, graph, paused);
    const run_result done = resume_in(sim, graph, again, {{"pay#1/ask#0", "yes"}});
    BOOST_TEST((done.status == run_status::finished), done.message());
    BOOST_TEST(at.calls == 1);
    BOOST_TEST(done.state.get(value) == 101);
    BOOST_TEST(words_of(done) == "yes");
}

BOOST_AUTO_TEST_CASE(P24_after_a_crash_the_same_key_goes_over_the_wire_again)
{
    bank at;
    payment what{&at};
    const weft::graph graph = paying(what);
    const auto journal = new_journal();
    crash_during_the_charge(graph, journal);
    BOOST_TEST(phase_of(*journal, "pay#1/charge#0") == "intended");
    const std::string key = journal->effects().at("pay#1/charge#0").key;
    weft::testing::simulation sim{2};
    const run_result result = run_in(sim, graph, with_journal(journal));
    BOOST_TEST((result.status == run_status::finished), result.message());
    BOOST_TEST(at.calls == 1);
    BOOST_TEST(at.charges.contains(key));
}

BOOST_AUTO_TEST_CASE(in_doubt_the_other_side_is_asked)
{
    for (const bool it_happened : {false, true}) {
        bank at;
        payment what{&at};
        what.options.in_doubt = weft::doubt_policy::query;
        what.options.query = [&at](const effect_context& effect) { return look_up(at, effect.key()); };
        const weft::graph graph = paying(what);
        const auto journal = new_journal();
        crash_during_the_charge(graph, journal);
        if (it_happened) at.charges[journal->effects().at("pay#1/charge#0").key] = 1;
        weft::testing::simulation sim{2};
        const run_result result = run_in(sim, graph, with_journal(journal));
        BOOST_TEST(result.state.get(value) == 101);
        BOOST_TEST(at.calls == (it_happened ? 0 : 1));
        BOOST_TEST(at.charged() == 1);
    }
}

BOOST_AUTO_TEST_CASE(in_doubt_it_is_undone_and_done_again)
{
    bank at;
    payment what{&at};
    what.options.in_doubt = weft::doubt_policy::compensate;
    what.options.compensate = [&at](const effect_context& effect) { return undo(at, effect.key()); };
    const weft::graph graph = paying(what);
    const auto journal = new_journal();
    crash_during_the_charge(graph, journal);
    weft::testing::simulation sim{2};
    const run_result result = run_in(sim, graph, with_journal(journal));
    BOOST_TEST((result.status == run_status::finished), result.message());
    BOOST_TEST(at.undone == 1);
    BOOST_TEST(at.calls == 1);
}

BOOST_AUTO_TEST_CASE(a_policy_without_its_function_is_found_before_the_effect)
{
    for (const auto policy : {weft::doubt_policy::query, weft::doubt_policy::compensate}) {
        bank at;
        payment what{&at};
        what.options.in_doubt = policy;
        weft::testing::simulation sim{1};
        const run_result result = run_in(sim, paying(what), with_journal(new_journal()));
        BOOST_REQUIRE((result.status == run_status::failed));
        BOOST_TEST((result.why->code == weft::errc::invalid_configuration));
        const char* const member = policy == weft::doubt_policy::query ? "query" : "compensate";
        BOOST_TEST(result.message().find("effect_options::" + std::string{member}) != std::string::npos);
        BOOST_TEST(at.calls == 0);
    }
}

BOOST_AUTO_TEST_CASE(in_doubt_it_fails_and_names_effect_and_key)
{
    bank at;
    payment what{&at};
    what.options.in_doubt = weft::doubt_policy::fail;
    const weft::graph graph = paying(what);
    const auto journal = new_journal();
    crash_during_the_charge(graph, journal);
    const std::string key = journal->effects().at("pay#1/charge#0").key;
    weft::testing::simulation sim{2};
    const run_result result = run_in(sim, graph, with_journal(journal));
    BOOST_REQUIRE((result.status == run_status::failed));
    BOOST_TEST((result.why->code == weft::errc::effect_in_doubt));
    BOOST_TEST(result.message().find("pay#1/charge#0") != std::string::npos);
    BOOST_TEST(result.message().find(key) != std::string::npos);
    BOOST_TEST(at.calls == 0);
    BOOST_TEST(phase_of(*journal, "pay#1/charge#0") == "intended");  // for the resume
}

BOOST_AUTO_TEST_CASE(in_doubt_a_person_says_what_became_of_it)
{
    struct row {
        const char* answer;
        int calls;
        run_status status;
    };
    for (const row& r : {row{"do it again", 1, run_status::finished}, row{"it happened", 0, run_status::finished},
                         row{"give up", 0, run_status::failed}}) {
        bank at;
        payment what{&at};
        what.options.in_doubt = weft::doubt_policy::ask;
        const weft::graph graph = paying(what);
        const auto journal = new_journal();
        crash_during_the_charge(graph, journal);
        weft::testing::simulation sim{2};
        const run_result asked = run_in(sim, graph, with_journal(journal));
        BOOST_TEST(questions_of(asked) == "pay#1/charge#0/ask#0");
        run_result result = resume_in(sim, graph, asked, {{"pay#1/charge#0/ask#0", r.answer}});
        if (std::string_view{r.answer} == "it happened") {
            BOOST_TEST(questions_of(result) == "pay#1/charge#0/ask#1");
            result = resume_in(sim, graph, result, {{"pay#1/charge#0/ask#1", 777}});
            BOOST_TEST(result.state.get(value) == 777);
        }
        BOOST_TEST((result.status == r.status), r.answer << ": " << result.message());
        BOOST_TEST(at.calls == r.calls, r.answer);
    }
}

BOOST_AUTO_TEST_CASE(a_failure_that_surely_had_no_effect_is_tried_again_unless_it_is_to_be_kept)
{
    for (const bool keeps : {false, true}) {
        bank at;
        at.fails_first = 1;
        at.fails_with = weft::errc::model_rate_limited;
        payment what{&at};
        what.options.in_doubt = weft::doubt_policy::fail;  // were it in doubt
        if (keeps) what.options.keeps_failure = true;
        weft::testing::simulation sim{1};
        const run_result result = run_in(sim, paying(what, 2), with_journal(new_journal()));
        BOOST_TEST((result.status == (keeps ? run_status::failed : run_status::finished)), result.message());
        BOOST_TEST(at.calls == (keeps ? 1 : 2));
        if (keeps) BOOST_TEST((result.why->code == weft::errc::model_rate_limited));
    }
}

BOOST_AUTO_TEST_CASE(a_call_that_broke_off_is_in_doubt_in_the_next_attempt_too)
{
    bank at;
    at.fails_first = 1;
    at.charges_before_it_fails = true;
    payment what{&at};
    what.options.in_doubt = weft::doubt_policy::query;
    what.options.query = [&at](const effect_context& effect) { return look_up(at, effect.key()); };
    weft::testing::simulation sim{1};
    const run_result result = run_in(sim, paying(what, 2), with_journal(new_journal()));
    BOOST_TEST((result.status == run_status::finished), result.message());
    BOOST_TEST(at.calls == 1);
    BOOST_TEST(at.charged() == 1);
}

BOOST_AUTO_TEST_CASE(effects_of_a_visit_are_told_apart_by_name_and_order)
{
    std::vector<std::string> addresses;
    std::vector<std::string> keys;
    const auto note = [&](const effect_context& effect) {
        addresses.push_back(effect.address());
        keys.push_back(effect.key());
    };
    struct caller {
        static task<void> work(node_context& context, decltype(note)& effect)
        {
            for (const char* name : {"a", "b", "a"}) co_await context.once(name, effect);
        }
    };
    const auto work = [&](node_context& context) { return caller::work(context, note); };
    const weft::graph graph =
        empty_graph().node("n", work).node("m", work).edge(weft::start, "n").edge("n", "m").build();
    weft::testing::simulation sim{1};
    (void)run_in(sim, graph, with_journal(new_journal()));
    BOOST_TEST(addresses == (std::vector<std::string>{"n#1/a#0", "n#1/b#0", "n#1/a#1", "m#1/a#0", "m#1/b#0",
                                                      "m#1/a#1"}),
               boost::test_tools::per_element());
    std::sort(keys.begin(), keys.end());
    BOOST_TEST((std::unique(keys.begin(), keys.end()) == keys.end()));
}

BOOST_AUTO_TEST_CASE(plain_callables_and_those_that_give_nothing_are_effects_too)
{
    struct caller {
        static task<void> work(node_context& context, int& calls)
        {
            const auto plain = [&calls] { return "call " + std::to_string(++calls); };
            const std::string said = co_await context.once("plain", plain);
            const auto nothing = [&calls] { ++calls; };
            co_await context.once("nothing", nothing);
            context.set(words, said);
            throw weft::error{weft::errc::model_overloaded};
        }
    };
    int calls = 0;
    const auto work = [&](node_context& context) { return caller::work(context, calls); };
    const weft::graph graph = empty_graph().node("n", work, tries(3)).edge(weft::start, "n").build();
    weft::testing::simulation sim{1};
    (void)run_in(sim, graph, with_journal(new_journal()));
    BOOST_TEST(calls == 2);
}

BOOST_AUTO_TEST_CASE(P27_an_outcome_that_is_none_any_more_is_refused_by_name)
{
    bank at;
    payment what{&at};
    const weft::graph graph = paying(what);
    const auto journal = new_journal();
    weft::testing::simulation sim{1};
    sim.run(journal->record(weft::effect_record{"pay#1/charge#0", weft::effect_phase::intended, "k", "null"}));
    sim.run(journal->record(weft::effect_record{"pay#1/charge#0", weft::effect_phase::done, "k", "\"text\""}));
    const run_result result = run_in(sim, graph, with_journal(journal));
    BOOST_REQUIRE((result.status == run_status::failed));
    BOOST_TEST((result.why->code == weft::errc::state_conversion));
    BOOST_TEST(result.message().find("effect 'charge'") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_run_that_failed_after_an_effect_goes_on_from_a_kept_frontier_without_it)
{
    bank at;
    payment what{&at};
    what.fails_then = 1;
    std::shared_ptr<const weft::frontier> kept;
    const auto work = [&what](node_context& context) { return pay(context, what); };
    const weft::graph graph =
        empty_graph().node("a", [] {}).node("pay", work, tries(1)).edge(weft::start, "a").edge("a", "pay").build();
    const auto journal = new_journal();
    weft::run_options options;
    options.on_save([&](const weft::frontier& where) { kept = std::make_shared<const weft::frontier>(where); });
    weft::testing::simulation sim{1};
    const run_result failed = run_in(sim, graph, with_journal(journal).options(std::move(options)));
    BOOST_TEST((failed.status == run_status::failed));
    const run_result result = run_in(sim, graph, with_journal(journal).resume(kept));
    BOOST_TEST((result.status == run_status::finished), result.message());
    BOOST_TEST(at.calls == 1);
}

BOOST_AUTO_TEST_CASE(torn_down_anywhere_nothing_is_left)
{
    static bank at;
    static payment what{&at};
    what.asks_then = true;
    what.options.in_doubt = weft::doubt_policy::query;
    what.options.query = [](const effect_context& effect) { return look_up(at, effect.key()); };
    const auto whole = [] {
        const weft::engine engine{paying(what)};
        return engine.run(with_journal(new_journal()));
    };
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(whole) > 2u);
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(whole) > 1u);
}

BOOST_AUTO_TEST_SUITE_END()
