#include <boost/test/unit_test.hpp>

#include "checkpoints.hpp"
#include "engine/scheduler/scheduler_script.hpp"

#include <weft/base/list.hpp>

#include <string>

namespace checkpoint_lists_test {

using namespace weft_tests;

/** A line that counts how often it is made JSON. */
struct counted_line {
    std::string text;
    static inline int conversions = 0;
};
void tag_invoke(const boost::json::value_from_tag&, boost::json::value& to, const counted_line& from)
{
    ++counted_line::conversions;
    to = from.text;
}
counted_line tag_invoke(const boost::json::value_to_tag<counted_line>&, const boost::json::value& from)
{
    return {std::string{from.as_string()}};
}

using lines = weft::list<counted_line>;
constexpr weft::state_key<lines> first{"first"};
constexpr weft::state_key<lines> second{"second"};

/** A run whose state has two lists. */
class two_lists {
public:
    two_lists() : where{weft::state{of.layout()}} {}

    void set(const weft::state_key<lines>& key, const lines& value)
    {
        where.root->root().writable(of.layout()->find(key.name())) = weft::make_box<lines>(value);
    }
    /** Writes a checkpoint and reads it again. @return  How many lines were made JSON for it. */
    int save()
    {
        ++where.steps;
        counted_line::conversions = 0;
        weft::checkpoint_draft draft = writer.write(where);
        const int made = counted_line::conversions;
        thread.commit(std::move(draft));
        writer.written();
        BOOST_TEST(weft::first_difference(where, thread.read(of), of) == "");
        return made;
    }

    weft::graph of = plain_graph("ab", "^a ab").state(first, second).build();
    weft::frontier where;
    weft::checkpoint_writer writer{of, strict_thread::key};
    strict_thread thread;
};

lines with(lines list, const std::string& text)
{
    list.push_back({text + std::string(100, '.')});
    return list;
}

/** A list in `first`, of which a checkpoint has been written. */
lines save_forty_lines(two_lists& run)
{
    lines said;
    for (int i = 0; i < 40; ++i) said = with(said, std::to_string(i));
    run.set(first, said);
    BOOST_TEST(run.save() == 40);
    return said;
}

BOOST_AUTO_TEST_SUITE(checkpoint_lists_test)

BOOST_AUTO_TEST_CASE(a_list_that_the_state_still_has_is_gone_on_from_and_stays_known)
{
    two_lists run;
    const lines said = save_forty_lines(run);
    // The first list stays in the state, so that what is known of it serves two lists.
    const lines more = with(said, "more");
    run.set(second, more);
    BOOST_TEST(run.save() == 1);
    BOOST_TEST(run.save() == 0);
    run.set(first, with(said, "other"));
    BOOST_TEST(run.save() == 1);
    run.set(second, with(more, "and more"));
    BOOST_TEST(run.save() == 1);
}

BOOST_AUTO_TEST_CASE(two_lists_may_go_on_from_one_that_is_gone)
{
    two_lists run;
    const lines said = save_forty_lines(run);
    lines left = with(said, "left");
    lines right = with(said, "right");
    run.set(first, left);
    run.set(second, right);
    // What was known of the list before serves the one of them; the other one is made once.
    BOOST_TEST(run.save() == 42);
    run.set(first, with(left, "and left"));
    run.set(second, with(right, "and right"));
    BOOST_TEST(run.save() == 2);
}

BOOST_AUTO_TEST_CASE(a_draft_that_is_not_stored_is_made_again_with_all_that_it_needs)
{
    two_lists run;
    const lines said = save_forty_lines(run);
    const lines more = with(said, "more");
    run.set(first, more);
    static_cast<void>(run.writer.write(run.where));
    BOOST_TEST(run.save() == 0, "the same draft again");
    run.set(first, with(more, "and more"));
    BOOST_TEST(run.save() == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace checkpoint_lists_test
