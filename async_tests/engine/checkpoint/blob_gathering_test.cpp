#include <boost/test/unit_test.hpp>

#include "engine/checkpoint/blob_gathering.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/base/error.hpp>
#include <weft/base/list.hpp>
#include <weft/engine/checkpoint/checkpoint_reader.hpp>
#include <weft/engine/checkpoint/checkpoint_writer.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/store/role/forwarding_store.hpp>

#include "engine/checkpoint/checkpoints.hpp"

#include <functional>

using namespace weft_tests;
using weft::blob;

BOOST_AUTO_TEST_SUITE(blob_gathering_test)

namespace {

constexpr weft::state_key<weft::list<std::string>> said{"said"};
constexpr int messages = 400;

weft::graph talk()
{
    const auto nothing = [](weft::node_context&) {};
    return weft::graph_builder{"talk"}.state(said).node("say", nothing).edge(weft::start, "say").build();
}

/** A thread of many messages, and what a store may do to its blobs on their way. */
class trial {
public:
    trial()
    {
        weft::list<std::string> all;
        for (int i = 0; i < messages; ++i) all.push_back(std::to_string(i) + std::string(200, '.'));
        weft::frontier where{weft::state{of.layout()}};
        where.root->root().writable(of.layout()->find(said.name())) = weft::make_box<weft::list<std::string>>(all);
        weft::checkpoint_writer writer{of, strict_thread::key};
        thread.commit(writer.write(where));
    }

    weft::graph of = talk();
    strict_thread thread;
};

/** Gives what a test wants, ahead and by hash. */
class giving_store final : public weft::forwarding_store {
public:
    giving_store(weft::checkpoint_store& inner, const weft::blob_map& blobs) : forwarding_store{inner}, blobs_{blobs} {}

    std::function<bool(int number, blob& one)> ahead = [](int, blob&) { return true; };  ///< False: it is left out.
    std::function<void(blob& one)> by_hash = [](blob&) {};
    std::size_t likely = 0;
    std::size_t asked = 0;  ///< Blobs by their hash.

    weft::task<void> read_ahead(weft::thread_key, std::vector<weft::content_hash>, std::size_t expected,
                                weft::blob_receiver& into) override
    {
        likely = expected;
        weft::blob_pack pack;
        int number = 0;
        for (const auto& [hash, one] : blobs_) {
            blob given = one;
            if (!ahead(number++, given)) continue;
            std::string links;
            for (const weft::content_hash& link : given.links)
                links.append(reinterpret_cast<const char*>(link.bytes.data()), link.bytes.size());
            BOOST_TEST(pack.add(given.hash, given.bytes, links));
            if (number % 64 == 0) into.take(std::exchange(pack, weft::blob_pack{}));
        }
        into.take(std::move(pack));
        co_return;
    }
    weft::task<std::vector<blob>> read_blobs(weft::thread_key, std::vector<weft::content_hash> hashes) override
    {
        std::vector<blob> found;
        asked += hashes.size();
        for (const weft::content_hash& hash : hashes) {
            blob one = blobs_.at(hash);
            by_hash(one);
            found.push_back(std::move(one));
        }
        co_return found;
    }

private:
    const weft::blob_map& blobs_;
};

/** @return  How many of the messages a reader gets; the blobs that were asked for by their hash are in the store. */
std::size_t read_from(giving_store& store, const trial& of)
{
    const weft::frontier read =
        weft::run_blocking(weft::read_frontier(store, weft::thread_key{"t"}, of.thread.head(), of.of));
    const weft::list<std::string> all = read.root->root().get(said);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!all[i].starts_with(std::to_string(i) + '.')) return i;
    return all.size();
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_comes_ahead_is_not_asked_for_again)
{
    const trial of;
    weft::memory_store real{strict_thread::key};
    giving_store store{real, of.thread.blobs()};
    BOOST_TEST(read_from(store, of) == messages);
    BOOST_TEST(store.asked == 0u);
    BOOST_TEST(store.likely >= of.thread.blobs().size() - 8);
    BOOST_TEST(store.likely <= of.thread.blobs().size() + 8);
}

BOOST_AUTO_TEST_CASE(what_does_not_come_ahead_is_asked_for_once)
{
    const trial of;
    weft::memory_store real{strict_thread::key};
    for (const int every : {1, 2, 7}) {
        giving_store store{real, of.thread.blobs()};
        std::size_t left_out = 0;
        store.ahead = [&](int number, blob&) {
            const bool is_left_out = number % every == 0;
            left_out += is_left_out ? 1 : 0;
            return !is_left_out;
        };
        BOOST_TEST(read_from(store, of) == messages);
        BOOST_TEST(store.asked == left_out);
    }
}

BOOST_AUTO_TEST_CASE(what_comes_damaged_ahead_is_asked_for_by_its_hash)
{
    const trial of;
    weft::memory_store real{strict_thread::key};
    giving_store store{real, of.thread.blobs()};
    store.ahead = [](int number, blob& one) {
        if (number % 50 == 0) one.bytes += '!';
        return true;
    };
    BOOST_TEST(read_from(store, of) == messages);
    BOOST_TEST(store.asked == (of.thread.blobs().size() + 49) / 50);
}

BOOST_AUTO_TEST_CASE(what_is_damaged_in_the_store_is_told)
{
    const trial of;
    weft::memory_store real{strict_thread::key};
    for (const bool comes_ahead : {true, false}) {
        giving_store store{real, of.thread.blobs()};
        const auto damage = [](blob& one) {
            if (one.bytes.find("399.") != std::string::npos) one.bytes += '!';
        };
        store.ahead = [&](int, blob& one) {
            damage(one);
            return comes_ahead;
        };
        store.by_hash = damage;
        const auto is_told = [](const weft::error& e) {
            return e.code() == weft::errc::store_corrupt &&
                   e.detail().find("not what its hash says") != std::string::npos;
        };
        BOOST_CHECK_EXCEPTION((void)read_from(store, of), weft::error, is_told);
    }
}

BOOST_AUTO_TEST_CASE(what_nobody_needs_may_come_along_damaged)
{
    const trial of;
    weft::memory_store real{strict_thread::key};
    weft::blob_map more = of.thread.blobs();
    for (std::uint8_t i = 0; i < 100; ++i) {
        const weft::content_hash name{{i, 1, 2, 3}};
        more.emplace(name, blob{name, "not what the hash says", {}});
    }
    giving_store store{real, more};
    BOOST_TEST(read_from(store, of) == messages);
    BOOST_TEST(store.asked == 0u);
    const weft::blob_map all =
        weft::run_blocking(weft::read_blobs_of(store, weft::thread_key{"t"}, of.thread.head()));
    BOOST_TEST(all.size() == of.thread.blobs().size());
}

BOOST_AUTO_TEST_SUITE_END()
