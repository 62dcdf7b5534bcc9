#include <boost/test/unit_test.hpp>

#include <weft/base/system/ids.hpp>
#include <weft/engine/memory_journal.hpp>
#include <weft/testing/simulation.hpp>

#include "engine/visit/effect_rules.hpp"

#include <stdexcept>

using weft::doubt_policy;
using weft::effect_options;
using weft::effect_phase;
using weft::effect_record;
using weft::effect_step;

BOOST_AUTO_TEST_SUITE(effect_rules_test)

namespace {

std::exception_ptr thrown(auto what) { return std::make_exception_ptr(std::move(what)); }

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_done_follows_from_the_journal_and_the_policy)
{
    const auto in_doubt = [](doubt_policy policy) {
        effect_options options;
        options.in_doubt = policy;
        return options;
    };
    const effect_options plain;
    effect_options keeping;
    keeping.keeps_failure = true;
    const effect_record intended{"e", effect_phase::intended, "k", "null"};
    const effect_record done{"e", effect_phase::done, "k", "1"};
    const effect_record failed{"e", effect_phase::failed, "k", "{}"};
    struct row {
        const effect_record* last;
        effect_options options;
        effect_step step;
    };
    for (const row& r : std::vector<row>{
             {nullptr, plain, effect_step::begin},
             {&done, plain, effect_step::give},
             {&done, in_doubt(doubt_policy::fail), effect_step::give},
             {&failed, plain, effect_step::begin},
             {&failed, keeping, effect_step::rethrow},
             {&intended, plain, effect_step::repeat},
             {&intended, keeping, effect_step::repeat},
             {&intended, in_doubt(doubt_policy::retry_with_key), effect_step::repeat},
             {&intended, in_doubt(doubt_policy::query), effect_step::query},
             {&intended, in_doubt(doubt_policy::compensate), effect_step::compensate},
             {&intended, in_doubt(doubt_policy::ask), effect_step::ask},
             {&intended, in_doubt(doubt_policy::fail), effect_step::refuse}})
        BOOST_TEST((weft::next_step(r.last, r.options) == r.step));
}

BOOST_AUTO_TEST_CASE(a_call_that_broke_off_leaves_doubt_and_a_refusal_does_not)
{
    using weft::errc;
    for (const errc code : {errc::cancelled, errc::timeout, errc::connection_lost, errc::first_byte_timeout,
                            errc::gap_timeout, errc::response_truncated})
        BOOST_TEST(weft::leaves_doubt(code));
    for (const errc code : {errc::node_failed, errc::connect_failed, errc::resolve_failed, errc::model_rejected,
                            errc::model_rate_limited, errc::budget_exhausted, errc::tls_untrusted})
        BOOST_TEST(!weft::leaves_doubt(code));
}

BOOST_AUTO_TEST_CASE(a_failure_survives_as_text)
{
    const std::string text = weft::failure_text(thrown(weft::error{weft::errc::model_rejected, "bank", "no money"}));
    BOOST_TEST(text == R"({"code":"model_rejected","where":"bank","detail":"no money"})");
    const weft::error again = weft::failure_from({"e", effect_phase::failed, "k", text});
    BOOST_TEST((again.code() == weft::errc::model_rejected));
    BOOST_TEST(again.where() == "bank");
    BOOST_TEST(again.detail() == "no money");
    const std::string other = weft::failure_text(thrown(std::runtime_error{"no \xff"}));
    BOOST_TEST(weft::failure_from({"e", effect_phase::failed, "k", other}).detail() == "no \xef\xbf\xbd");
    BOOST_TEST((weft::failure_from({"e", effect_phase::failed, "k", "{"}).code() == weft::errc::node_failed));
}

BOOST_AUTO_TEST_CASE(P24_a_key_is_a_name_based_uuid_that_belongs_to_one_effect)
{
    const std::string key = weft::idempotency_key("tenant/thread/run", "pay#1/charge#0");
    BOOST_TEST(key == weft::idempotency_key("tenant/thread/run", "pay#1/charge#0"));
    BOOST_TEST(weft::unique_id::parse(key).has_value());
    BOOST_TEST(key[14] == '5');
    BOOST_TEST(key != weft::idempotency_key("tenant/thread/run", "pay#1/charge#1"));
    BOOST_TEST(key != weft::idempotency_key("tenant/thread/ru", "npay#1/charge#0"));
}

BOOST_AUTO_TEST_CASE(a_code_is_found_by_its_name)
{
    BOOST_TEST((weft::errc_named("effect_in_doubt") == weft::errc::effect_in_doubt));
    BOOST_TEST(!weft::errc_named("unknown"));
}

BOOST_AUTO_TEST_CASE(the_journal_in_memory_keeps_each_entry_once)
{
    weft::testing::simulation sim{1};
    weft::memory_journal journal{"run"};
    const auto record = [&](effect_phase phase, const char* body) {
        sim.run(journal.record(effect_record{"a#1/e#0", phase, "k", body}));
    };
    record(effect_phase::intended, "null");
    BOOST_CHECK_THROW(record(effect_phase::intended, "null"), weft::error);
    record(effect_phase::done, "7");
    BOOST_CHECK_THROW(record(effect_phase::done, "8"), weft::error);
    BOOST_TEST(sim.run(journal.find("a#1/e#0"))->body == "7");
    BOOST_TEST(!sim.run(journal.find("a#1/e#1")).has_value());
    journal.settle("a#1");
    BOOST_TEST(journal.effects().empty());
}

BOOST_AUTO_TEST_CASE(the_journal_in_memory_keeps_a_question_and_its_first_answer)
{
    weft::testing::simulation sim{1};
    weft::memory_journal journal{"run"};
    BOOST_TEST((sim.run(journal.answer("a#1/ask#0", "1")) == weft::answer_state::unknown));
    (void)sim.run(journal.ask(weft::question_record{"a#1/ask#0", "{}"}));
    BOOST_TEST((sim.run(journal.answer("a#1/ask#0", "1")) == weft::answer_state::accepted));
    BOOST_TEST((sim.run(journal.answer("a#1/ask#0", "2")) == weft::answer_state::already_answered));
    const weft::question_record kept = sim.run(journal.ask(weft::question_record{"a#1/ask#0", "{}"}));
    BOOST_TEST((kept.phase == weft::question_phase::answered));
    BOOST_TEST(kept.answer == "1");
    journal.settle("a#1");
    BOOST_TEST(journal.questions().empty());
}

BOOST_AUTO_TEST_SUITE_END()
