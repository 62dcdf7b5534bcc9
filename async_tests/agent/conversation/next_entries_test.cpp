#include <boost/test/unit_test.hpp>

#include "agent/conversation/next_entries.hpp"
#include "agent/talks.hpp"

#include <string>
#include <utility>
#include <vector>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(next_entries_test)

BOOST_AUTO_TEST_CASE(the_updates_are_those_of_a_conversation_that_grows)
{
    for (const std::string lane : {"", "m"})
        for (const std::string before : {"", "u", "s u a c2 r r"}) {
            weft::conversation state;
            for (const weft::conversation_change& change : talk_maker{before, by("first", lane)}.talk.changes_since(0))
                state.apply(change);
            state.add(weft::message::user("beside"), by("other", "o"));
            talk_maker grown{"", by("n", lane)};
            grown.talk = state;
            weft::agent_detail::next_entries next{state, lane};
            for (const weft::conversation_change& wanted : grown.add("u3! a c2 r2 r E s a a u")) {
                weft::conversation_change again = wanted;
                weft::conversation::options how;
                how.is_pinned = wanted.entry.is_pinned;
                const weft::conversation_change made =
                    next.add(std::move(again.entry.message), std::move(again.entry.from), std::move(how));
                BOOST_TEST((made == wanted));
                state.apply(made);
            }
            BOOST_TEST((state == grown.talk));
        }
}

BOOST_AUTO_TEST_CASE(equal_entries_one_after_the_other_have_ids_of_their_own)
{
    weft::agent_detail::next_entries next{weft::conversation{}, ""};
    std::vector<std::int64_t> ids;
    for (int i = 0; i < 3; ++i) ids.push_back(next.add(weft::message::user("Why?"), by("n"), {}).entry.id);
    BOOST_TEST((ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]));
    // Ids are stored: another release finds the same ones.
    BOOST_TEST(ids[0] == 6'103'353'391'119'888'717);
}

BOOST_AUTO_TEST_SUITE_END()
