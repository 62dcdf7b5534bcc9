#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <weft/store/memory_store.hpp>
#include <weft/store/record/store_model.hpp>
#include <weft/testing/simulation.hpp>
#include <weft/testing/store_conformance.hpp>

#include <set>
#include <string>

BOOST_AUTO_TEST_SUITE(store_conformance_test)

namespace {

namespace testing = weft::testing;

class flawed_trial final : public testing::store_under_test {
public:
    explicit flawed_trial(weft::store_flaw flaw)
        : store_{weft::hash_key{}, weft::store_model_options{.flaw = flaw}}
    {
    }
    weft::checkpoint_store& store() override { return store_; }

private:
    weft::memory_store store_;
};

weft::task<void> check_flawed(testing::store_check check, weft::store_flaw flaw)
{
    flawed_trial trial{flaw};
    co_await check.run(trial);
}

/** The names of the checks that a store does not pass. */
std::set<std::string> refused_by(weft::store_flaw flaw)
{
    std::set<std::string> names;
    for (const testing::store_check& check : testing::store_checks()) {
        testing::simulation sim{1};
        try {
            sim.run(check_flawed(check, flaw));
        } catch (const testing::store_check_failure&) {
            names.emplace(check.name);
        }
    }
    return names;
}

}  // namespace

BOOST_AUTO_TEST_CASE(checks_have_names_of_their_own)
{
    std::set<std::string> names;
    for (const testing::store_check& check : testing::store_checks()) names.emplace(check.name);
    BOOST_TEST(names.size() == testing::store_checks().size());
    BOOST_TEST(names.size() > 60U);
}

BOOST_AUTO_TEST_CASE(a_store_that_forgets_a_rule_does_not_pass)
{
    using weft::store_flaw;
    BOOST_TEST(refused_by(store_flaw::none).empty());
    BOOST_TEST(refused_by(store_flaw::no_fence).contains("who_was_given_up_writes_nothing"));
    BOOST_TEST(refused_by(store_flaw::no_compare_and_set).contains("a_commit_behind_another_head_is_refused"));
    BOOST_TEST(refused_by(store_flaw::no_reap).contains("who_gives_no_sign_of_life_is_given_up"));
    BOOST_TEST(refused_by(store_flaw::no_queue).contains("queued_runs_begin_one_after_the_other"));
    BOOST_TEST(refused_by(store_flaw::no_idempotency).contains("an_idempotency_key_admits_one_run_of_its_tenant"));
}

BOOST_AUTO_TEST_CASE(a_failure_says_what_was_expected_and_what_came)
{
    const testing::store_check* found = nullptr;
    for (const testing::store_check& check : testing::store_checks())
        if (check.name == "a_commit_behind_another_head_is_refused") found = &check;
    BOOST_REQUIRE(found);
    testing::simulation sim{1};
    try {
        sim.run(check_flawed(*found, weft::store_flaw::no_compare_and_set));
        BOOST_ERROR("a flawed store passed");
    } catch (const testing::store_check_failure& failure) {
        const std::string text = failure.what();
        BOOST_TEST(text.starts_with("commit behind head 0: expected stale_head, came ok (store_checks_ownership.cpp:"),
                   text);
    }
}

BOOST_AUTO_TEST_SUITE_END()
