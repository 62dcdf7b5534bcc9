#include <boost/test/unit_test.hpp>

#include "checkpoints.hpp"
#include "engine/scheduler/scheduler_script.hpp"
#include "graph/node/graph_keys.hpp"

#include <weft/base/list.hpp>

#include <boost/json/serialize.hpp>

#include <cmath>
#include <limits>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(checkpoint_writer_test)

namespace {

/** A message that counts how often it is made JSON. */
struct counted_message {
    std::string text;
    static inline int conversions = 0;
};
void tag_invoke(const boost::json::value_from_tag&, boost::json::value& to, const counted_message& from)
{
    ++counted_message::conversions;
    to = {{"role", "user"}, {"text", from.text}};
}
counted_message tag_invoke(const boost::json::value_to_tag<counted_message>&, const boost::json::value& from)
{
    return {std::string{from.at("text").as_string()}};
}

using conversation = weft::list<counted_message>;
constexpr weft::state_key<conversation> messages{"messages"};
constexpr weft::state_key<std::string> draft{"draft"};
constexpr weft::state_key<double> ratio{"ratio"};
constexpr weft::state_key<boost::json::value> anything{"anything"};
constexpr weft::state_key<std::vector<std::int64_t>> numbers{"numbers"};

weft::graph keyed()
{
    weft::graph_builder builder = plain_graph("abcj", "^a ab ac bj cj");
    return builder.state(messages, draft, ratio, anything, numbers, handle).build();
}

/** A run that stands somewhere, its path included. */
class standing {
public:
    standing() : where{weft::state{of.layout()}} {}

    template <class T, class R, class U>
    void set(const weft::state_key<T, R>& key, U&& value)
    {
        where.root->root().writable(of.layout()->find(key.name())) = weft::make_box<T>(std::forward<U>(value));
    }
    template <class T, class R>
    [[nodiscard]] const T& get(const weft::state_key<T, R>& key) const
    {
        return where.root->root().get(key);
    }
    void step()
    {
        ++where.steps;
        where.path.push_back(1 + where.steps % 3);
        where.path.settle();
    }
    /** Writes it, and checks that it can be read again. */
    void save()
    {
        const weft::frontier read = through_a_checkpoint(where, of, writer, thread);
        BOOST_TEST(weft::first_difference(where, read, of) == "");
    }

    weft::graph of = keyed();
    weft::frontier where;
    weft::checkpoint_writer writer{of, strict_thread::key};
    strict_thread thread;
};

conversation conversation_of(std::size_t count, std::size_t bytes)
{
    conversation made;
    for (std::size_t i = 0; i < count; ++i) {
        std::string text = std::to_string(i) + " ";
        text.resize(bytes, 'm');
        made.push_back({std::move(text)});
    }
    return made;
}

/** What a conversation costs that grows by 1,000 messages, as a share of its final size. */
double growth(std::size_t bytes, double& bytes_of_steps)
{
    standing run;
    conversation all = conversation_of(10'000, bytes);
    run.set(messages, all);
    run.thread.forget_nothing();
    run.thread.commit(run.writer.write(run.where));
    run.writer.written();
    const std::size_t before = run.thread.bytes();
    const std::size_t blobs_before = run.thread.given();
    for (std::size_t i = 0; i < 1000; ++i) {
        std::string text = "answer " + std::to_string(i) + " ";
        text.resize(bytes, 'a');
        all.push_back({std::move(text)});
        run.set(messages, all);
        run.step();
        counted_message::conversions = 0;
        weft::checkpoint_draft next = run.writer.write(run.where);
        BOOST_REQUIRE_EQUAL(counted_message::conversions, 1);
        BOOST_REQUIRE_LE(next.blobs.size(), 12u);  // a message, and now and then a group and nodes, of path and list
        run.thread.commit(std::move(next));
        run.writer.written();
    }
    bytes_of_steps = static_cast<double>(run.thread.bytes() - before) / 1000;
    BOOST_TEST_MESSAGE("blobs for 1,000 steps: " << run.thread.given() - blobs_before);
    BOOST_TEST(weft::first_difference(run.where, run.thread.read(run.of), run.of) == "");
    std::size_t final_size = 0;
    for (const counted_message& m : all) final_size += boost::json::serialize(weft::to_json(m)).size();
    return static_cast<double>(run.thread.bytes()) / static_cast<double>(final_size);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_long_conversation_is_stored_once_and_a_step_stores_its_message)
{
    double bytes_of_a_step = 0;
    const double share_of_1000 = growth(1000, bytes_of_a_step);
    BOOST_TEST_MESSAGE("1 kB messages: " << share_of_1000 << " of the final size, " << bytes_of_a_step << " B a step");
    BOOST_TEST(share_of_1000 <= 1.1);
    const double share_of_500 = growth(500, bytes_of_a_step);
    BOOST_TEST_MESSAGE("500 B messages: " << share_of_500 << " of the final size, " << bytes_of_a_step << " B a step");
    BOOST_TEST(share_of_500 <= 1.2);
}

BOOST_AUTO_TEST_CASE(a_long_list_is_prepared_in_pieces)
{
    standing run;
    const conversation all = conversation_of(5'000, 1'000);
    run.set(messages, all);
    counted_message::conversions = 0;
    for (int before = 0; !run.writer.prepare(run.where); before = counted_message::conversions)
        BOOST_REQUIRE_LE(counted_message::conversions - before, 80);  // some 64 KB
    BOOST_TEST(counted_message::conversions == 5'000);
    weft::checkpoint_draft prepared = run.writer.write(run.where);
    BOOST_TEST(counted_message::conversions == 5'000);
    weft::checkpoint_writer another{run.of, strict_thread::key};
    const weft::checkpoint_draft at_once = another.write(run.where);
    BOOST_TEST(prepared.body == at_once.body);
    BOOST_TEST(prepared.blobs.size() == at_once.blobs.size());
    // A draft that is not stored is prepared and written again, with what has been appended.
    run.thread.commit(std::move(prepared));
    conversation longer = all;
    longer.push_back({"one more"});
    run.set(messages, longer);
    while (!run.writer.prepare(run.where)) {}
    run.thread.commit(run.writer.write(run.where));
    BOOST_TEST(weft::first_difference(run.where, run.thread.read(run.of), run.of) == "");
}

BOOST_AUTO_TEST_CASE(what_was_written_is_freed_in_pieces)
{
    standing run;
    run.set(messages, conversation_of(5'000, 1'000));
    run.save();  // also says that it is written
    int pieces = 1;
    while (!run.writer.drop_some()) BOOST_TEST_REQUIRE(++pieces < 1'000);
    BOOST_TEST(pieces >= 10);
    BOOST_TEST(run.writer.drop_some());
    // Little is freed at once; and what is left goes with the next one.
    run.set(messages, conversation_of(3, 1'000));
    run.save();
    BOOST_TEST(run.writer.drop_some());
    run.set(messages, conversation_of(5'000, 999));
    run.save();
    BOOST_TEST(!run.writer.drop_some());
    run.step();
    run.save();
}

BOOST_AUTO_TEST_CASE(a_list_that_cannot_be_prepared_is_refused_when_it_is_written)
{
    standing run;
    conversation all = conversation_of(100, 10);
    all.push_back({std::string(9u << 20, 'm')});
    run.set(messages, all);
    while (!run.writer.prepare(run.where)) {}
    BOOST_CHECK_EXCEPTION((void)run.writer.write(run.where), weft::error,
                          says(weft::errc::limit_reached, {"messages"}));
    run.set(messages, conversation_of(100, 10));
    while (!run.writer.prepare(run.where)) {}
    run.save();
}

BOOST_AUTO_TEST_CASE(what_has_not_changed_is_not_given_again)
{
    standing run;
    run.set(draft, std::string(5000, 'd'));
    run.set(messages, conversation_of(40, 100));
    run.save();
    const std::size_t given = run.thread.given();
    BOOST_TEST(given > 40u);
    counted_message::conversions = 0;
    weft::checkpoint_draft same = run.writer.write(run.where);
    BOOST_TEST(same.blobs.empty());
    BOOST_TEST(counted_message::conversions == 0);
    run.writer.written();
    run.set(ratio, 0.5);
    run.step();
    const weft::checkpoint_draft small = run.writer.write(run.where);
    BOOST_TEST(small.blobs.empty());
    BOOST_TEST(small.step == 1u);
    BOOST_TEST(small.graph == "test");
    BOOST_TEST(small.graph_hash == weft::graph_fingerprint(run.of));
}

BOOST_AUTO_TEST_CASE(blobs_are_given_again_until_a_draft_is_stored)
{
    standing run;
    run.set(draft, std::string(500, 'd'));
    const std::size_t first = run.writer.write(run.where).blobs.size();
    BOOST_TEST(first == 2u);  // the text and the shape of the graph
    BOOST_TEST(run.writer.write(run.where).blobs.size() == first);
    run.set(draft, std::string(500, 'e'));
    weft::checkpoint_draft next = run.writer.write(run.where);
    BOOST_TEST(next.blobs.size() == first + 1);
    run.thread.commit(std::move(next));
    run.writer.written();
    BOOST_TEST(run.writer.write(run.where).blobs.empty());
}

BOOST_AUTO_TEST_CASE(a_value_that_comes_back_is_given_again_for_the_store_may_have_forgotten_it)
{
    standing run;
    const std::string long_text(500, 'd');
    const auto box = weft::make_box<std::string>(long_text);
    weft::value_ptr& place = run.where.root->root().writable(run.of.layout()->find("draft"));
    for (int round = 0; round < 3; ++round) {
        place = box;
        run.save();
        place = weft::make_box<std::string>("short");
        run.save();
        place = nullptr;
        run.save();
    }
}

BOOST_AUTO_TEST_CASE(lists_of_every_size_are_read_as_they_were)
{
    for (const std::size_t first : {0u, 1u, 15u, 16u, 17u, 255u, 256u, 257u, 4090u}) {
        standing run;
        conversation all = conversation_of(first, 60);
        for (std::size_t more : {0u, 1u, 2u, 15u, 16u, 240u, 300u}) {
            for (std::size_t i = 0; i < more; ++i) all.push_back({"more " + std::to_string(all.size())});
            run.set(messages, all);
            run.step();
            run.save();
        }
    }
}

BOOST_AUTO_TEST_CASE(after_a_resume_nothing_is_written_again_and_lists_go_on)
{
    for (const std::size_t first : {3u, 17u, 250u, 255u, 300u, 4095u}) {
        standing run;
        run.set(draft, std::string(500, 'd'));
        run.set(messages, conversation_of(first, 60));
        for (int i = 0; i < 40; ++i) run.step();
        run.save();
        standing resumed;
        resumed.thread = run.thread;
        resumed.where = run.thread.read(run.of);
        resumed.writer.know(resumed.where, run.thread.head());
        BOOST_TEST(resumed.writer.write(resumed.where).blobs.empty());
        conversation all = resumed.get(messages);
        for (int i = 0; i < 20; ++i) {
            all.push_back({"more " + std::to_string(i)});
            resumed.set(messages, all);
            resumed.step();
            resumed.save();
        }
        BOOST_TEST(resumed.thread.given() - run.thread.given() < 20u * 8);
        // The form follows from the items alone: written at once it is the same.
        weft::checkpoint_writer anew{resumed.of, strict_thread::key};
        const weft::checkpoint_draft whole = anew.write(resumed.where);
        BOOST_TEST((whole.body == resumed.thread.head().body));
        BOOST_TEST((whole.links == resumed.thread.head().links));
    }
}

BOOST_AUTO_TEST_CASE(a_list_that_was_cut_or_changed_is_written_anew)
{
    standing run;
    run.set(messages, conversation_of(300, 60));
    run.save();
    run.set(messages, conversation_of(20, 60));
    run.save();
    run.set(messages, conversation{});
    run.save();
    run.set(numbers, std::vector<std::int64_t>{1, 2, 3});
    run.save();
    run.set(numbers, std::vector<std::int64_t>{1, 2, 3, 4});
    run.save();
    run.set(numbers, std::vector<std::int64_t>{9, 2});
    run.save();
}

BOOST_AUTO_TEST_CASE(what_grows_with_the_run_is_not_rewritten)
{
    standing run;
    std::size_t largest_body = 0;
    std::size_t bytes_of_blobs = 0;
    for (int i = 0; i < 2000; ++i) {
        run.step();
        weft::checkpoint_draft next = run.writer.write(run.where);
        largest_body = std::max(largest_body, next.body.size() + 16 * next.links.size());
        for (const weft::blob& one : next.blobs) bytes_of_blobs += one.bytes.size() + 16 * one.links.size();
        run.thread.commit(std::move(next));
        run.writer.written();
    }
    BOOST_TEST(weft::first_difference(run.where, run.thread.read(run.of), run.of) == "");
    BOOST_TEST(largest_body < 250u);
    BOOST_TEST(bytes_of_blobs < 2000u * 20);
}

BOOST_AUTO_TEST_CASE(a_value_that_cannot_be_stored_names_key_and_path_and_the_next_attempt_is_whole)
{
    standing run;
    run.set(draft, std::string(500, 'd'));
    run.set(anything, boost::json::value{{"scores", {1, std::numeric_limits<double>::infinity()}}});
    BOOST_CHECK_EXCEPTION((void)run.writer.write(run.where), weft::error,
                          says(weft::errc::state_conversion, {"key 'anything'", "$.scores[1]", "not finite"}));
    run.set(anything, boost::json::value{{"scores", {1, 2.5}}});
    run.set(ratio, std::nan(""));
    BOOST_CHECK_EXCEPTION((void)run.writer.write(run.where), weft::error,
                          says(weft::errc::state_conversion, {"key 'ratio'", "finite"}));
    run.set(ratio, 1.0);
    run.save();
    boost::json::value deep = 1;
    for (int i = 0; i < 70; ++i) deep = boost::json::array{deep};
    run.set(anything, deep);
    BOOST_CHECK_EXCEPTION((void)run.writer.write(run.where), weft::error,
                          says(weft::errc::state_conversion, {"key 'anything'", "nested deeper than 64"}));
    run.set(anything, boost::json::value(std::string(std::size_t{9} << 20, 'x')));
    BOOST_CHECK_EXCEPTION((void)run.writer.write(run.where), weft::error,
                          says(weft::errc::limit_reached, {"key 'anything'", "bytes"}));
}

BOOST_AUTO_TEST_CASE(transient_values_are_left_out_unless_a_branch_needs_one)
{
    standing run;
    run.set(handle, std::make_shared<int>(1));
    run.set(ratio, 2.0);
    run.save();
    BOOST_TEST(!run.thread.read(run.of).root->root().find(handle));

    scheduler_script script{run.of};
    script.begin();
    script.ok("a");
    script.ok("b", weft::state_update{}.set(handle, std::make_shared<int>(2)));
    BOOST_CHECK_EXCEPTION((void)run.writer.write(script.trail()), weft::error,
                          says(weft::errc::state_conversion, {"key 'handle'", "transient", "join"}));
    run.save();
}

BOOST_AUTO_TEST_CASE(finished_branches_are_stored_once)
{
    const weft::graph of = plain_graph("abj", "^a ab bj").build();
    scheduler_script script{of, {.in_flight_max = 0}};
    script.begin();
    script.send("a", std::vector<std::string>(200, "b"));
    weft::checkpoint_writer writer{of, strict_thread::key};
    strict_thread thread;
    (void)through_a_checkpoint(script.trail(), of, writer, thread);
    const std::size_t before = thread.bytes();
    for (int i = 0; i < 199; ++i) {
        script.ok("b", weft::state_update{}.set(words, "word " + std::to_string(i) + std::string(100, 'w')));
        (void)through_a_checkpoint(script.trail(), of, writer, thread);
    }
    // Each branch's word and state, a part of a group, and a body that has a byte or two for each of 200 branches.
    BOOST_TEST((thread.bytes() - before) / 199 < 1800u);
}

BOOST_AUTO_TEST_CASE(a_writer_of_another_graph_knows_nothing)
{
    standing run;
    run.set(draft, std::string(500, 'd'));
    run.save();
    const weft::graph other_graph = plain_graph("ab", "^a ab").state(draft).build();
    weft::checkpoint_writer writer{other_graph, strict_thread::key};
    const weft::frontier read = weft::decode_frontier(run.thread.head(), run.thread.blobs(), other_graph);
    writer.know(read, run.thread.head());
    BOOST_TEST(writer.write(read).blobs.size() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
