#include "harness/bench.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/store/memory_items.hpp>
#ifdef WEFT_HAS_SQLITE
#include <weft/store/sqlite_store.hpp>
#endif

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace weft_bench {

namespace {

constexpr std::size_t dimensions = 768;
constexpr std::size_t found_max = 10;
constexpr int timed_searches = 10;
constexpr int vector_rounds = 5;

std::vector<float> direction(std::mt19937& random)
{
    std::normal_distribution<float> component;
    std::vector<float> made(dimensions);
    for (float& each : made) each = component(random);
    return made;
}

double microseconds_since(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

weft::task<void> fill(weft::item_vectors& vectors, std::size_t count)
{
    std::mt19937 random{1};
    for (std::size_t i = 0; i < count; ++i) {
        weft::item_key key{{}, std::to_string(i)};
        weft::item_vector vector{"m", direction(random)};
        co_await vectors.put_with_vector("", std::move(key), "a passage", std::move(vector), std::nullopt);
    }
}

weft::task<double> time_searches(weft::item_vectors& vectors)
{
    std::mt19937 random{2};
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < timed_searches; ++i) {
        std::vector<std::string> all;
        weft::vector_query query{.vector = {"m", direction(random)}, .count_max = found_max};
        const auto found = co_await vectors.nearest("", std::move(all), std::move(query));
        require(found.size() == found_max, "a search found too little");
    }
    co_return microseconds_since(begin) / timed_searches;
}

/** All vectors one behind the other, multiplied in a loop that compilers make SIMD of. */
class vectors_by_hand {
public:
    explicit vectors_by_hand(std::size_t count)
    {
        std::mt19937 random{1};
        for (std::size_t i = 0; i < count; ++i) {
            const std::vector<float> made = direction(random);
            all_.insert(all_.end(), made.begin(), made.end());
        }
    }

    [[nodiscard]] double time_searches() const
    {
        std::mt19937 random{2};
        std::vector<std::pair<float, std::size_t>> scores(all_.size() / dimensions);
        const auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i < timed_searches; ++i) {
            const std::vector<float> wanted = direction(random);
            for (std::size_t at = 0; at < scores.size(); ++at) scores[at] = {product(wanted, at * dimensions), at};
            std::partial_sort(scores.begin(), scores.begin() + found_max, scores.end(), std::greater<>{});
            require(scores[0].first >= scores[found_max].first, "the best one is not first");
        }
        return microseconds_since(begin) / timed_searches;
    }

private:
    [[nodiscard]] float product(const std::vector<float>& wanted, std::size_t begin) const
    {
        std::array<float, 16> sums{};
        for (std::size_t i = 0; i < dimensions; i += sums.size())
            for (std::size_t lane = 0; lane < sums.size(); ++lane)
                sums[lane] += wanted[i + lane] * all_[begin + i + lane];
        float sum = 0;
        for (const float each : sums) sum += each;
        return sum;
    }

    std::vector<float> all_;
};

measurement search_in_memory()
{
    const auto count = amount<std::size_t>(50'000, 1'000);
    weft::memory_items items;
    weft::run_blocking(fill(items, count));
    const vectors_by_hand floor{count};
    return take_turns(
        vector_rounds, [&] { return weft::run_blocking(time_searches(items)); }, [&] { return floor.time_searches(); });
}

#ifdef WEFT_HAS_SQLITE

struct sqlite_place {
    std::filesystem::path file = std::filesystem::temp_directory_path() / "weft_vector_bench.db";

    sqlite_place() { remove(); }
    ~sqlite_place() { remove(); }
    void remove() const
    {
        for (const char* end : {"", "-wal", "-shm", "-lock"}) std::filesystem::remove(file.string() + end);
    }
};

weft::task<std::unique_ptr<weft::sqlite_store>> opened(const sqlite_place& place)
{
    weft::sqlite_options options{place.file.string()};
    return weft::sqlite_store::open(std::move(options));
}

measurement search_in_sqlite()
{
    const auto count = amount<std::size_t>(50'000, 1'000);
    const sqlite_place place;
    const std::unique_ptr<weft::sqlite_store> store = weft::run_blocking(opened(place));
    weft::run_blocking(fill(*store->vectors(), count));
    const vectors_by_hand floor{count};
    return take_turns(
        vector_rounds, [&] { return weft::run_blocking(time_searches(*store->vectors())); },
        [&] { return floor.time_searches(); });
}

#endif

}  // namespace

benchmarks vector_benchmarks()
{
    benchmarks all{{"vector_search_memory", "us", "10 of 50,000 vectors of 768 dimensions; floor: one array, by hand",
                    "ratio <= 3", &search_in_memory}};
#ifdef WEFT_HAS_SQLITE
    all.push_back({"vector_search_sqlite", "us", "the same in a SQLite file", "", &search_in_sqlite});
#endif
    return all;
}

}  // namespace weft_bench
