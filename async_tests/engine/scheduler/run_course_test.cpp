#include <boost/test/unit_test.hpp>

#include "engine/scheduler/run_course.hpp"

using weft::run_course;
using weft::run_status;

BOOST_AUTO_TEST_SUITE(run_course_test)

namespace {

weft::failure_ptr failure_of(weft::errc code)
{
    weft::failure wrong;
    wrong.code = code;
    return std::make_shared<const weft::failure>(std::move(wrong));
}

}  // namespace

BOOST_AUTO_TEST_CASE(nodes_start_unless_the_run_is_held_pauses_or_is_over)
{
    run_course course;
    BOOST_TEST(course.may_start());
    course.hold(true);
    BOOST_TEST(!course.may_start());
    course.hold(false);
    BOOST_TEST(course.may_start());
    BOOST_TEST(course.pause());
    BOOST_TEST(!course.may_start());
    BOOST_TEST(!course.pause());
    run_course other;
    other.finish(run_status::finished);
    BOOST_TEST(!other.may_start());
    BOOST_TEST(!other.pause());
}

BOOST_AUTO_TEST_CASE(the_first_status_counts)
{
    run_course course;
    course.finish(run_status::finished);
    course.finish(run_status::paused);
    BOOST_TEST((course.status() == run_status::finished));
    BOOST_TEST(!course.stop(nullptr));
}

BOOST_AUTO_TEST_CASE(a_run_that_was_stopped_is_cancelled_or_has_failed_or_was_cut_short)
{
    run_course cancelled;
    BOOST_TEST(cancelled.stop(nullptr));
    BOOST_TEST(!cancelled.stop(failure_of(weft::errc::run_timeout)));  // it stops already
    cancelled.finish_stopped();
    BOOST_TEST((cancelled.status() == run_status::cancelled));
    BOOST_TEST(!cancelled.why());

    run_course failed;
    BOOST_TEST(failed.stop(failure_of(weft::errc::run_timeout)));
    failed.finish_stopped();
    BOOST_TEST((failed.status() == run_status::failed));
    BOOST_TEST((failed.why()->code == weft::errc::run_timeout));

    run_course cut;
    cut.cut_short(true);
    BOOST_TEST(cut.stop(nullptr));
    cut.finish_stopped();
    BOOST_TEST((cut.status() == run_status::finished));
    BOOST_TEST(cut.was_cut_short());
    BOOST_TEST(cut.was_cut_in_a_row());
}

BOOST_AUTO_TEST_CASE(an_end_that_cannot_be_saved_fails_the_run_but_keeps_an_older_cause)
{
    run_course finished;
    finished.finish(run_status::finished);
    finished.fail_end(failure_of(weft::errc::store_unavailable));
    BOOST_TEST((finished.status() == run_status::failed));
    BOOST_TEST((finished.why()->code == weft::errc::store_unavailable));

    run_course failed;
    failed.fail(failure_of(weft::errc::node_failed));
    failed.fail_end(failure_of(weft::errc::store_unavailable));
    BOOST_TEST((failed.why()->code == weft::errc::node_failed));
}

BOOST_AUTO_TEST_SUITE_END()
