#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/store/memory_store.hpp>

#ifdef WEFT_HAS_SQLITE
#include "stores.hpp"
#include <weft/store/sqlite_store.hpp>
#endif
#ifdef WEFT_HAS_POSTGRES
#include "store/postgres_server.hpp"
#include <weft/store/postgres_store.hpp>
#endif

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace weft_bench {

namespace {

// Functions: whether each row has one short turn is known when the program has read its arguments.
int threads_searched() { return amount(100'000, 500); }
constexpr int threads_at_once = 64;
int searches() { return amount(300, 5); }

std::string name_at(int number) { return "thread " + std::to_string(number); }

/** One in 10 is of a graph, one in 1,000 of a user, and each has a number of its own. */
weft::task<void> make_some(weft::thread_directory& threads, int first)
{
    for (int i = first; i < threads_searched(); i += threads_at_once) {
        const std::string number = std::to_string(i);
        weft::thread_key thread{name_at(i)};
        std::string metadata = R"({"graph_id": "graph )" + std::to_string(i % 10) + R"(", "owner": "user )" +
                               std::to_string(i % 1'000) + R"(", "no": "n)" + number + R"("})";
        static_cast<void>(co_await threads.create(thread, std::move(metadata)));
        weft::thread_change change;
        change.values = R"({"topic": "topic )" + std::to_string(i % 500) + R"(", "messages": [")" +
                        std::string(500, 'x') + R"("]})";
        static_cast<void>(co_await threads.update(std::move(thread), std::move(change)));
    }
}

weft::task<void> make_threads(weft::thread_directory& threads)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope making{context};
    for (int i = 0; i < threads_at_once; ++i) making.spawn(make_some(threads, i));
    co_await making.join();
}

/** One of the filters that clients ask with. */
weft::thread_query query_at(int number)
{
    weft::thread_query query;
    query.count_max = 10;
    const std::string chosen = std::to_string(number * 7'919 % threads_searched());
    switch (number % 4) {
    case 0: query.metadata_contains = R"({"no": "n)" + chosen + R"("})"; break;
    case 1: query.metadata_contains = R"({"owner": "user )" + std::to_string(number % 1'000) + R"("})"; break;
    case 2: query.metadata_contains = R"({"graph_id": "graph )" + std::to_string(number % 10) + R"("})"; break;
    default: query.values_contain = R"({"topic": "topic )" + std::to_string(number % 500) + R"("})"; break;
    }
    return query;
}

double p99_of(std::vector<double> times)
{
    std::sort(times.begin(), times.end());
    return times.at(times.size() - 1 - times.size() / 100);
}

measurement measure_search(weft::thread_directory& threads)
{
    weft::run_blocking(make_threads(threads));
    measurement result;
    std::vector<double> found;
    std::vector<double> looked_up;
    for (int i = 0; i < searches(); ++i) {
        double before = wall_ms();
        const weft::thread_page page = weft::run_blocking(threads.search(query_at(i)));
        found.push_back(wall_ms() - before);
        require(!page.threads.empty(), "a search found nothing");
        before = wall_ms();
        const auto one = weft::run_blocking(threads.find(weft::thread_key{name_at(i)}));
        looked_up.push_back(wall_ms() - before);
        require(one.has_value(), "a thread is missing");
    }
    result.weft = p99_of(std::move(found));
    result.floor = p99_of(std::move(looked_up));
    return result;
}

}  // namespace

benchmarks search_benchmarks()
{
    const std::string what =
        "searches of 100,000 threads for 10 by metadata or values, 99 of 100; floor: a thread by name";
    benchmarks all{{"search_memory", "ms", what, "<= 50", [] {
                        weft::memory_store store;
                        return measure_search(store.service().threads());
                    }}};
#ifdef WEFT_HAS_SQLITE
    all.push_back({"search_sqlite", "ms", what, "<= 50", [] {
                       const own_folder folder;
                       const auto store =
                           weft::run_blocking(weft::sqlite_store::open(weft::sqlite_options{folder.file()}));
                       return measure_search(store->service().threads());
                   }});
#endif
#ifdef WEFT_HAS_POSTGRES
    all.push_back({"search_postgres", "ms", what, "<= 50", [] {
                       const weft_tests::postgres_server server{};
                       const auto store =
                           weft::run_blocking(weft::postgres_store::open(weft::postgres_options{server.connection()}));
                       return measure_search(store->service().threads());
                   }});
#endif
    return all;
}

}  // namespace weft_bench
