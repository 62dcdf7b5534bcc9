#include <boost/test/unit_test.hpp>

#include "net/test_loop.hpp"
#include "serve/run/run_news.hpp"

#include <weft/async/async_start.hpp>
#include <weft/engine/run_result.hpp>

#include <memory>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(run_news_test)

using namespace weft::serve_detail;
using weft::run_event;
using weft::run_id;
using weft::thread_key;

run_id run_named(char name)
{
    weft::unique_id id;
    id.bytes.back() = static_cast<std::uint8_t>(name);
    return run_id{id};
}

/** A loop of a server with three. */
struct served_loop {
    explicit served_loop(std::shared_ptr<loop_relay> relay, test_loop& on)
        : feeds{on.loop()}, tapes{on.loop(), 10, 100, [] { return std::uint64_t{1000}; }},
          news{feeds, tapes, std::move(relay)}
    {
    }

    void tell(const thread_key& thread, char run, std::uint64_t id,
              run_event::kind what = run_event::kind::output)
    {
        run_event event;
        event.what = what;
        event.id = event.sequence = id;
        event.run = run_named(run);
        news.tell(thread, event);
    }
    void end(const thread_key& thread, char run) { news.end(thread, run_named(run), run_ending{}); }

    feed_table feeds;
    tape_table tapes;
    run_news news;
};

class three_loops {
public:
    three_loops() : relays_{loop_relay::among({&on_[0].loop(), &on_[1].loop(), &on_[2].loop()})}
    {
        for (std::size_t i = 0; i < 3; ++i) loops_.push_back(std::make_unique<served_loop>(relays_[i], on_[i]));
    }
    ~three_loops()
    {
        loops_.clear();
        settle();
    }

    [[nodiscard]] served_loop& at(std::size_t i) { return *loops_[i]; }
    void settle()
    {
        for (int round = 0; round < 4; ++round)
            for (test_loop& each : on_) each.settle();
    }

    std::shared_ptr<thread_tape> tape_at(std::size_t i, const thread_key& thread)
    {
        std::shared_ptr<thread_tape> got;
        weft::async_start(on_[i].loop(), at(i).news.tape_of(thread, latest_run{}),
                          [&](std::exception_ptr failed, std::shared_ptr<thread_tape> tape) {
                              BOOST_TEST(!failed);
                              got = std::move(tape);
                          });
        settle();
        BOOST_REQUIRE(got);
        return got;
    }
    std::shared_ptr<void> follow_at(std::size_t i, const thread_key& thread)
    {
        std::shared_ptr<void> got;
        weft::async_start(on_[i].loop(), at(i).news.follow(thread),
                          [&](std::exception_ptr, std::shared_ptr<void> watch) { got = std::move(watch); });
        settle();
        BOOST_REQUIRE(got);
        return got;
    }

private:
    test_loop on_[3];
    std::vector<std::shared_ptr<loop_relay>> relays_;
    std::vector<std::unique_ptr<served_loop>> loops_;
};

std::string text_of(const thread_tape& tape, bool has_numbers = false)
{
    std::string text;
    for (std::uint64_t at = 0; const tape_entry* const entry = tape.after(at); at = entry->sequence) {
        if (has_numbers) text += std::to_string(entry->sequence) + ':';
        text += static_cast<char>(entry->run.value().bytes.back());
        text += entry->event ? std::to_string(entry->event->what.id) + ' ' : "! ";
    }
    return text;
}

std::string ids_in(served_loop& at, char run)
{
    std::string text;
    const auto feed = at.feeds.find(run_named(run));
    if (!feed) return "none";
    for (std::uint64_t seen = 0; const auto* const event = feed->after(seen); seen = (*event)->what.id)
        text += std::to_string((*event)->what.id) + ' ';
    return text + (feed->is_closed() ? "!" : "");
}

const thread_key chat{"chat"};

BOOST_AUTO_TEST_CASE(a_run_is_followed_from_another_loop)
{
    three_loops loops;
    loops.at(0).news.begin(chat, run_named('a'));
    loops.at(0).tell(chat, 'a', 1);
    loops.at(0).tell(chat, 'a', 2);
    const auto watch = loops.follow_at(1, chat);
    BOOST_TEST(ids_in(loops.at(1), 'a') == "1 2 ");
    BOOST_TEST(loops.at(1).feeds.find(run_named('a'))->is_driven());
    loops.at(0).tell(chat, 'a', 3);
    loops.settle();
    BOOST_TEST(ids_in(loops.at(1), 'a') == "1 2 3 ");
    loops.at(0).end(chat, 'a');
    loops.settle();
    BOOST_TEST(ids_in(loops.at(1), 'a') == "1 2 3 !");
    BOOST_TEST(ids_in(loops.at(2), 'a') == "none");
}

BOOST_AUTO_TEST_CASE(what_is_told_between_question_and_answer_is_neither_lost_nor_doubled)
{
    three_loops loops;
    const auto first = loops.follow_at(1, chat);
    loops.at(0).news.begin(chat, run_named('a'));
    loops.at(0).tell(chat, 'a', 1);
    // Not settled: the batch with the first event is under way when the second watch begins.
    loops.at(0).tell(chat, 'a', 2);
    const auto tape = loops.tape_at(1, chat);
    loops.at(0).tell(chat, 'a', 3);
    loops.settle();
    BOOST_TEST(ids_in(loops.at(1), 'a') == "1 2 3 ");
    BOOST_TEST(text_of(*tape) == "a1 a2 a3 ");
}

BOOST_AUTO_TEST_CASE(a_tape_of_another_loop_is_copied_with_its_numbers_and_goes_on)
{
    three_loops loops;
    const auto first = loops.tape_at(0, chat);
    loops.at(0).news.begin(chat, run_named('a'));
    loops.at(0).tell(chat, 'a', 1);
    loops.at(0).end(chat, 'a');
    loops.at(2).news.begin(chat, run_named('b'));
    loops.at(2).tell(chat, 'b', 1);
    loops.settle();
    const auto copy = loops.tape_at(1, chat);
    BOOST_TEST(text_of(*first, true) == "1001:a1 1002:a! 1003:b1 ");
    BOOST_TEST(text_of(*copy, true) == text_of(*first, true));
    loops.at(2).tell(chat, 'b', 2);
    loops.at(2).end(chat, 'b');
    loops.settle();
    BOOST_TEST(text_of(*copy, true) == "1001:a1 1002:a! 1003:b1 1004:b2 1005:b! ");
    BOOST_TEST(text_of(*first, true) == text_of(*copy, true));
}

BOOST_AUTO_TEST_CASE(runs_in_line_are_followed_as_well)
{
    three_loops loops;
    loops.at(0).news.begin(chat, run_named('a'));
    loops.at(0).tell(chat, 'a', 1);
    loops.at(0).news.begin(chat, run_named('b'));
    const auto tape = loops.tape_at(1, chat);
    loops.at(0).end(chat, 'a');
    loops.at(0).tell(chat, 'b', 1);
    loops.at(0).end(chat, 'b');
    loops.settle();
    BOOST_TEST(text_of(*tape) == "a1 a! b1 b! ");
}

BOOST_AUTO_TEST_CASE(a_run_that_is_answered_elsewhere_goes_on_in_the_same_feed)
{
    three_loops loops;
    const auto tape = loops.tape_at(1, chat);
    loops.at(0).news.begin(chat, run_named('a'));
    loops.at(0).tell(chat, 'a', 1);
    loops.at(0).end(chat, 'a');
    loops.settle();
    BOOST_TEST(ids_in(loops.at(1), 'a') == "1 !");
    loops.at(2).news.begin(chat, run_named('a'));
    loops.settle();
    BOOST_TEST(ids_in(loops.at(1), 'a') == "1 ");
    loops.at(2).tell(chat, 'a', 10);
    loops.at(2).end(chat, 'a');
    loops.settle();
    BOOST_TEST(text_of(*tape) == "a1 a! a10 a! ");
    BOOST_TEST(ids_in(loops.at(1), 'a') == "1 10 !");
}

BOOST_AUTO_TEST_CASE(what_is_not_watched_any_more_is_not_told_and_not_taken_for_whole)
{
    three_loops loops;
    auto watch = loops.follow_at(1, chat);
    loops.at(0).news.begin(chat, run_named('a'));
    loops.at(0).tell(chat, 'a', 1);
    loops.settle();
    watch.reset();
    loops.settle();
    loops.at(0).tell(chat, 'a', 2);
    loops.settle();
    BOOST_TEST(ids_in(loops.at(1), 'a') == "none");
    watch = loops.follow_at(1, chat);
    BOOST_TEST(ids_in(loops.at(1), 'a') == "1 2 ");
}

BOOST_AUTO_TEST_CASE(a_run_of_the_worker_loop_is_told_without_a_promise_of_its_end)
{
    three_loops loops;
    const auto tape = loops.tape_at(1, chat);
    loops.at(0).tell(chat, 'a', 1);
    loops.settle();
    BOOST_TEST(!loops.at(1).feeds.find(run_named('a'))->is_driven());
    loops.at(0).tell(chat, 'a', 2, run_event::kind::run_finished);
    loops.settle();
    BOOST_TEST(text_of(*tape) == "a1 a2 a! ");
    BOOST_TEST(!loops.at(1).feeds.find(run_named('a'))->is_closed());  // the store is asked
}

BOOST_AUTO_TEST_CASE(other_threads_and_tenants_are_not_told)
{
    three_loops loops;
    const auto tape = loops.tape_at(1, chat);
    loops.at(0).tell(thread_key{"chat", "other"}, 'a', 1);
    loops.at(0).tell(thread_key{"else"}, 'b', 1);
    loops.settle();
    BOOST_TEST(text_of(*tape) == "");
    BOOST_TEST(ids_in(loops.at(1), 'a') == "none");
}

BOOST_AUTO_TEST_CASE(a_loop_that_has_ended_is_not_waited_for)
{
    test_loop on[2];
    const auto relays = loop_relay::among({&on[0].loop(), &on[1].loop()});
    served_loop first{relays[0], on[0]};
    { const served_loop second{relays[1], on[1]}; }
    bool is_followed = false;
    weft::async_start(on[0].loop(), first.news.follow(chat),
                      [&](std::exception_ptr, std::shared_ptr<void>) { is_followed = true; });
    for (int round = 0; round < 4; ++round)
        for (test_loop& each : on) each.settle();
    BOOST_TEST(is_followed);
}

BOOST_AUTO_TEST_CASE(a_loop_that_does_not_answer_holds_up_no_client_for_long)
{
    hand_clock time;
    test_loop waits{time};
    test_loop sleeps;
    const auto relays = loop_relay::among({&waits.loop(), &sleeps.loop()});
    served_loop first{relays[0], waits};
    served_loop second{relays[1], sleeps};
    second.news.begin(chat, run_named('a'));
    std::shared_ptr<void> watch;
    weft::async_start(waits.loop(), first.news.follow(chat),
                      [&](std::exception_ptr, std::shared_ptr<void> got) { watch = std::move(got); });
    waits.settle();
    BOOST_TEST(!watch);
    waits.advance(loop_relay::answer_limit + std::chrono::milliseconds{2});
    BOOST_TEST(watch.get());
    second.tell(chat, 'a', 1);
    sleeps.settle();  // it wakes up, and answers too late
    sleeps.settle();
    second.tell(chat, 'a', 2);
    for (int round = 0; round < 4; ++round) {
        sleeps.settle();
        waits.settle();
    }
    BOOST_TEST(ids_in(first, 'a') == "1 2 ");
}

BOOST_AUTO_TEST_CASE(a_run_that_a_drain_gives_back_has_no_end_in_its_thread)
{
    test_loop loop;
    served_loop one{nullptr, loop};
    const thread_key thread{"t"};
    const std::shared_ptr<thread_tape> tape = one.tapes.of(thread);
    const auto ends = [&tape] {
        std::string phases;
        std::uint64_t at = 0;
        for (const tape_entry* entry = tape->after(at); entry; entry = tape->after(at)) {
            at = entry->sequence;
            if (!entry->event) phases.append(name_of(entry->ending->phase)).append(" ");
        }
        return phases;
    };
    const auto rest = [&](char run, weft::run_status how) {
        run_event event;
        event.what = run_event::kind::run_finished;
        event.id = event.sequence = static_cast<std::uint64_t>(run);
        event.run = run_named(run);
        event.text = name_of(how);
        one.news.tell(thread, event);
    };
    rest('a', weft::run_status::paused);
    one.news.begin_drain();
    rest('b', weft::run_status::paused);
    rest('c', weft::run_status::cancelled);
    rest('d', weft::run_status::finished);
    BOOST_TEST(ends() == "waiting finished ");
}

BOOST_AUTO_TEST_SUITE_END()
