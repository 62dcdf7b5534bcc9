#include <boost/test/unit_test.hpp>

#include <weft/base/memory/intrusive_ptr.hpp>

#include <thread>
#include <vector>

BOOST_AUTO_TEST_SUITE(intrusive_ptr_test)

namespace {

struct counted : weft::ref_counted<counted> {
    explicit counted(int& deaths, int payload = 0) : value{payload}, deaths_{&deaths} {}
    counted(const counted&) = default;
    ~counted() { ++*deaths_; }

    int value;

private:
    int* deaths_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(the_last_owner_deletes_the_object)
{
    int deaths = 0;
    weft::intrusive_ptr<counted> a = weft::make_counted<counted>(deaths, 5);
    weft::intrusive_ptr<const counted> b = a;
    BOOST_TEST(a->use_count() == 2u);
    a.reset();
    BOOST_TEST(deaths == 0);
    BOOST_TEST(b->value == 5);
    b.reset();
    BOOST_TEST(deaths == 1);
}

BOOST_AUTO_TEST_CASE(a_plain_pointer_becomes_an_owner_again)
{
    int deaths = 0;
    counted* const plain = new counted{deaths};
    weft::intrusive_ptr<counted> a{plain};
    weft::intrusive_ptr<counted> b{plain};
    a.reset();
    BOOST_TEST(deaths == 0);
    BOOST_TEST(b->use_count() == 1u);
    b.reset();
    BOOST_TEST(deaths == 1);
}

BOOST_AUTO_TEST_CASE(a_copy_of_the_object_has_its_own_count)
{
    int deaths = 0;
    const auto a = weft::make_counted<counted>(deaths, 1);
    auto b = weft::make_counted<counted>(*a);
    BOOST_TEST(b->use_count() == 1u);
    *b = *a;
    BOOST_TEST(b->use_count() == 1u);
    b.reset();
    BOOST_TEST(deaths == 1);
    BOOST_TEST(a->use_count() == 1u);
}

BOOST_AUTO_TEST_CASE(owners_on_many_threads_delete_the_object_once)
{
    int deaths = 0;
    auto shared = weft::make_counted<counted>(deaths, 3);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([mine = shared] {
            for (int round = 0; round < 10'000; ++round) {
                const weft::intrusive_ptr<counted> copy = mine;
            }
        });
    }
    shared.reset();
    for (std::thread& t : threads) t.join();
    threads.clear();
    BOOST_TEST(deaths == 1);
}

BOOST_AUTO_TEST_SUITE_END()
