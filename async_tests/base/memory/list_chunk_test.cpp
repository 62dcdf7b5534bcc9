#include <boost/test/unit_test.hpp>

#include <weft/base/list.hpp>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using weft::list;
namespace list_detail = weft::list_detail;

BOOST_AUTO_TEST_SUITE(list_chunk_test)

namespace {

/** A chain of chunks with one item each, without room for items. */
class chain {
public:
    explicit chain(std::size_t length)
    {
        blocks_.reserve(length);
        for (std::size_t i = 0; i < length; ++i) {
            blocks_.push_back(std::make_unique<block>());
            last_ = list_detail::make_chunk(blocks_.back()->bytes, 1, last_, i);
        }
    }

    const list_detail::chunk* last() const { return last_; }

private:
    struct block {
        alignas(list_detail::chunk) unsigned char bytes[sizeof(list_detail::chunk)];
    };

    std::vector<std::unique_ptr<block>> blocks_;
    list_detail::chunk* last_ = nullptr;
};

std::size_t steps_back(const list_detail::chunk* from, std::size_t index)
{
    std::size_t steps = 0;
    for (; from->before > index; ++steps)
        from = from->jump->before > index ? from->jump : from->previous;
    return steps;
}

// Counts what is alive, and throws on request.
struct fragile {
    explicit fragile(int v) : value{v} { count(); }
    fragile(const fragile& other) : value{other.value} { count(); }
    ~fragile() { --alive; }

    static void count()
    {
        if (throw_after == 0) throw std::runtime_error{"no more"};
        --throw_after;
        ++alive;
    }

    int value;
    static inline int alive = 0;
    static inline int throw_after = -1;
};

struct fragile_fixture {
    fragile_fixture() { reset(); }
    ~fragile_fixture() { reset(); }
    static void reset()
    {
        fragile::alive = 0;
        fragile::throw_after = -1;
    }
};

}  // namespace

BOOST_AUTO_TEST_CASE(any_earlier_chunk_is_a_few_steps_away)
{
    constexpr std::size_t length = 10'000;
    const chain chunks{length};
    std::size_t steps_max = 0;
    for (std::size_t index = 0; index < length; ++index) {
        const list_detail::position at = list_detail::find(chunks.last(), length, index);
        BOOST_REQUIRE(at.holder->before == index);
        BOOST_REQUIRE(at.end == index + 1);
        steps_max = std::max(steps_max, steps_back(chunks.last(), index));
    }
    BOOST_TEST(steps_max <= 3u * 14u);   // 2^14 is more than the length.
}

BOOST_AUTO_TEST_CASE(chunks_grow_by_half_up_to_a_limit_and_start_small_where_lists_part)
{
    list_detail::chunk full{1, 8, 8, 0, 100, nullptr, nullptr};
    BOOST_TEST(list_detail::next_capacity(nullptr, 0, 1, 8) == 8u);
    BOOST_TEST(list_detail::next_capacity(&full, 108, 1, 8) == 12u);
    BOOST_TEST(list_detail::next_capacity(&full, 103, 1, 8) == 8u);
    full.capacity = 1024;
    BOOST_TEST(list_detail::next_capacity(&full, 1124, 1, 8) == 1024u);
    BOOST_TEST(list_detail::next_capacity(nullptr, 0, 100, 8) == 100u);
    BOOST_TEST(list_detail::next_capacity(nullptr, 0, 5'000, 8) == 1024u);
    BOOST_TEST(list_detail::next_capacity(nullptr, 0, 1, 64) == 4u);
    BOOST_TEST(list_detail::next_capacity(nullptr, 0, 1, 1'000) == 2u);
}

BOOST_FIXTURE_TEST_CASE(every_item_is_destroyed_once, fragile_fixture)
{
    {
        list<fragile> a;
        for (int i = 0; i < 100; ++i) a.emplace_back(i);
        list<fragile> b = a;
        a.emplace_back(100);
        b.emplace_back(101);
        b.append(a);
        BOOST_TEST(fragile::alive == 100 + 2 + 101);
        a = list<fragile>{};
        BOOST_TEST(b[101].value == 0);
    }
    BOOST_TEST(fragile::alive == 0);
}

BOOST_FIXTURE_TEST_CASE(an_item_that_throws_leaves_the_list_as_it_was, fragile_fixture)
{
    {
        list<fragile> a;
        for (int length = 0; length < 40; ++length) {
            const list<fragile> before = a;
            fragile::throw_after = 0;
            BOOST_CHECK_THROW(a.emplace_back(-1), std::runtime_error);
            fragile::throw_after = -1;
            BOOST_REQUIRE(a.size() == before.size());
            BOOST_REQUIRE(a.extends(before));
            a.emplace_back(length);
            BOOST_REQUIRE(a.back().value == length);
        }
        BOOST_TEST(fragile::alive == 40);
        BOOST_TEST((&a[1] == &a[0] + 1));
    }
    BOOST_TEST(fragile::alive == 0);
}

BOOST_FIXTURE_TEST_CASE(appending_a_list_is_all_or_nothing, fragile_fixture)
{
    {
        list<fragile> a;
        for (int i = 0; i < 5; ++i) a.emplace_back(i);
        list<fragile> b;
        for (int i = 0; i < 30; ++i) b.emplace_back(i);
        fragile::throw_after = 20;
        BOOST_CHECK_THROW(a.append(b), std::runtime_error);
        fragile::throw_after = -1;
        BOOST_TEST(a.size() == 5u);
        a.append(b);
        BOOST_TEST(a.size() == 35u);
        BOOST_TEST(a.back().value == 29);
    }
    BOOST_TEST(fragile::alive == 0);
}

BOOST_AUTO_TEST_CASE(copies_on_many_threads_append_independently)
{
    constexpr int threads_count = 4;
    const list<std::string> base{"shared"};
    std::barrier start{threads_count};
    std::vector<std::string> problems(threads_count);
    std::vector<std::thread> threads;
    for (int t = 0; t < threads_count; ++t) {
        threads.emplace_back([&, t, mine = base]() mutable {
            start.arrive_and_wait();
            for (int i = 0; i < 2'000; ++i) mine.push_back(std::to_string(t * 10'000 + i));
            for (int i = 0; i < 2'000; ++i) {
                const std::string expected = std::to_string(t * 10'000 + i);
                if (mine[static_cast<std::size_t>(i) + 1] != expected)
                    problems[static_cast<std::size_t>(t)] = expected;
            }
            if (mine.size() != 2'001 || mine.front() != "shared")
                problems[static_cast<std::size_t>(t)] = "size";
        });
    }
    for (std::thread& t : threads) t.join();
    for (const std::string& problem : problems) BOOST_TEST(problem.empty(), problem);
    BOOST_TEST(base.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_slot_given_back_is_claimed_by_another_thread)
{
    struct throwing {
        explicit throwing(int v) : value{v}
        {
            if (v < 0) throw std::runtime_error{"no"};
        }
        int value;
    };
    list<throwing> base;
    base.emplace_back(0);
    std::atomic<int> appended{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&appended, base] {
            for (int i = 1; i < 3'000; ++i) {
                list<throwing> mine = base;
                try {
                    mine.emplace_back(i % 2 == 0 ? i : -i);
                    if (mine.size() == 2 && mine.back().value == i) ++appended;
                } catch (const std::runtime_error&) {
                    if (mine.size() != 1) appended = -1'000'000;
                }
            }
        });
    }
    for (std::thread& t : threads) t.join();
    BOOST_TEST(appended == 4 * 1'499);
}

BOOST_AUTO_TEST_SUITE_END()
