#include <boost/test/unit_test.hpp>

#include <weft/store/record/journal.hpp>
#include <weft/store/record/run_record.hpp>

#include <set>
#include <string>

BOOST_AUTO_TEST_SUITE(run_record_test)

namespace {

/** The names of the first `count` values of an enumeration. */
template <class Enum>
std::set<std::string> names(int count)
{
    std::set<std::string> found;
    for (int i = 0; i < count; ++i) found.emplace(name_of(static_cast<Enum>(i)));
    return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_value_has_a_name_of_its_own)
{
    BOOST_TEST(names<weft::run_phase>(8).size() == 8U);
    BOOST_TEST(names<weft::write_state>(4).size() == 4U);
    BOOST_TEST(names<weft::checkpoint_kind>(6).size() == 6U);
    BOOST_TEST(names<weft::effect_phase>(3).size() == 3U);
    BOOST_TEST(names<weft::answer_state>(3).size() == 3U);
    BOOST_TEST(name_of(weft::run_phase::dead) == "dead");
    BOOST_TEST(name_of(weft::checkpoint_kind::node_complete) == "node_complete");
    BOOST_TEST(name_of(weft::write_state::stale_head) == "stale_head");
    BOOST_TEST(name_of(weft::answer_state::already_answered) == "already_answered");
    BOOST_TEST(name_of(weft::effect_phase::intended) == "intended");
}

BOOST_AUTO_TEST_CASE(a_run_is_over_when_nothing_follows)
{
    using weft::run_phase;
    for (const run_phase open : {run_phase::queued, run_phase::ready, run_phase::running, run_phase::waiting})
        BOOST_TEST(!weft::is_over(open), name_of(open));
    for (const run_phase over : {run_phase::finished, run_phase::failed, run_phase::cancelled, run_phase::dead})
        BOOST_TEST(weft::is_over(over), name_of(over));
}

BOOST_AUTO_TEST_SUITE_END()
