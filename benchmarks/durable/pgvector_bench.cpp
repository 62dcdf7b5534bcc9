#include "harness/bench.hpp"

#ifdef WEFT_HAS_POSTGRES

#include "harness/cpu_clock.hpp"
#include "store/postgres_server.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/store/item_vectors.hpp>
#include <weft/store/postgres_store.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace weft_bench {

namespace {

using components = std::vector<float>;

constexpr std::size_t neighbours_max = 10;
constexpr std::size_t vectors_at_once = 32;
constexpr int timed_searches = 5;
constexpr int pgvector_rounds = 5;
constexpr int recall_searches = 100;

/** Vectors in no order, or around 50 centres as the passages of documents are. */
class vector_source {
public:
    vector_source(std::size_t dimensions, bool is_clustered) : dimensions_{dimensions}
    {
        if (!is_clustered) return;
        for (int i = 0; i < 50; ++i) centres_.push_back(around(nullptr));
    }
    components next() { return around(centres_.empty() ? nullptr : &centres_[random_() % centres_.size()]); }

private:
    components around(const components* centre)
    {
        std::normal_distribution<float> component;
        components made(dimensions_);
        for (std::size_t i = 0; i < dimensions_; ++i)
            made[i] = centre ? (*centre)[i] + 0.3F * component(random_) : component(random_);
        return made;
    }

    std::size_t dimensions_;
    std::mt19937 random_{1};
    std::vector<components> centres_;
};

weft::task<void> put_some(weft::item_vectors& vectors, const std::vector<components>& all, std::size_t first)
{
    for (std::size_t i = first; i < all.size(); i += vectors_at_once) {
        weft::item_key key{{}, std::to_string(i)};
        weft::item_vector vector{"m", all[i]};
        co_await vectors.put_with_vector("", std::move(key), "a passage", std::move(vector), std::nullopt);
    }
}

weft::task<void> put_all(weft::item_vectors& vectors, const std::vector<components>& all)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope putting{context};
    for (std::size_t i = 0; i < vectors_at_once; ++i) putting.spawn(put_some(vectors, all, i));
    co_await putting.join();
}

/** A server with vectors, and stores that search them in different ways. */
class vector_server {
public:
    vector_server(std::size_t count, vector_source source) : source_{std::move(source)}
    {
        std::vector<components> all(count);
        for (components& each : all) each = source_.next();
        weft::postgres_options options = with(weft::pgvector_use::create);
        options.vectors.index = {};
        open_ = weft::run_blocking(weft::postgres_store::open(std::move(options)));
        weft::run_blocking(put_all(*open_->vectors(), all));
        server_.query("VACUUM ANALYZE");
        dimensions_ = all[0].size();
    }

    std::unique_ptr<weft::postgres_store> in_program() { return opened(with(weft::pgvector_use::none)); }
    std::unique_ptr<weft::postgres_store> in_database() { return opened(with(weft::pgvector_use::if_installed)); }
    std::unique_ptr<weft::postgres_store> with_index(std::size_t candidates = 200)
    {
        weft::postgres_options options = with(weft::pgvector_use::if_installed);
        options.vectors.index = weft::postgres_vector_index{"m", dimensions_, candidates};
        return opened(std::move(options));
    }
    [[nodiscard]] std::vector<weft::item_match> search(weft::postgres_store& store, components wanted) const
    {
        weft::vector_query query{.vector = {"m", std::move(wanted)}, .count_max = neighbours_max};
        auto found = weft::run_blocking(store.vectors()->nearest("", {}, std::move(query)));
        require(found.size() == neighbours_max, "a search found too little");
        return found;
    }
    [[nodiscard]] components next() { return source_.next(); }

    /** Milliseconds. */
    double time_searches(weft::postgres_store& store)
    {
        double spent = 0;
        for (int i = 0; i < timed_searches; ++i) {
            components wanted = next();
            const double before = wall_ms();
            static_cast<void>(search(store, std::move(wanted)));
            spent += wall_ms() - before;
        }
        return spent / timed_searches;
    }

private:
    [[nodiscard]] weft::postgres_options with(weft::pgvector_use use) const
    {
        weft::postgres_options options{server_.connection()};
        options.vectors.pgvector = use;
        return options;
    }
    static std::unique_ptr<weft::postgres_store> opened(weft::postgres_options options)
    {
        return weft::run_blocking(weft::postgres_store::open(std::move(options)));
    }

    weft_tests::postgres_server server_;
    vector_source source_;
    std::unique_ptr<weft::postgres_store> open_;
    std::size_t dimensions_ = 0;
};

measurement search_in_database()
{
    vector_server server{amount<std::size_t>(50'000, 500), vector_source{768, true}};
    const auto here = server.in_program();
    const auto there = server.in_database();
    return take_turns(
        pgvector_rounds, [&] { return server.time_searches(*there); }, [&] { return server.time_searches(*here); });
}

measurement search_by_index()
{
    vector_server server{amount<std::size_t>(50'000, 500), vector_source{768, true}};
    const auto all = server.in_database();
    const auto indexed = server.with_index();
    return take_turns(
        pgvector_rounds, [&] { return server.time_searches(*indexed); }, [&] { return server.time_searches(*all); });
}

/** How many of 100 that are nearest the index finds; the floor is how many an exact search finds. */
measurement recall_of_index(bool is_clustered, std::size_t candidates)
{
    vector_server server{amount<std::size_t>(10'000, 500), vector_source{768, is_clustered}};
    const auto exact = server.in_database();
    const auto indexed = server.with_index(candidates);
    std::size_t hits = 0;
    const int count = amount(recall_searches, 2);
    for (int i = 0; i < count; ++i) {
        const components wanted = server.next();
        const auto nearest = server.search(*exact, wanted);
        const float worst = nearest.back().score;
        for (const weft::item_match& each : server.search(*indexed, wanted)) hits += each.score >= worst ? 1 : 0;
    }
    measurement result;
    result.weft = 100.0 * static_cast<double>(hits) / static_cast<double>(neighbours_max) / count;
    result.floor = 100;
    return result;
}

bool has_pgvector()
{
    if (!weft_tests::postgres_server::programs()) return false;
    const std::string asked = "SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'";
    static const bool found = weft_tests::postgres_server{}.query(asked) == "1";
    return found;
}

}  // namespace

benchmarks pgvector_benchmarks()
{
    const auto where_it_is = [](measurement (*measure)()) {
        return [measure] {
            if (has_pgvector()) return measure();
            return measurement{};
        };
    };
    return {{"vector_search_pgvector", "ms", "10 of 50,000 vectors of 768 dimensions; floor: in the program", "",
             where_it_is(&search_in_database)},
            {"vector_search_hnsw", "ms", "the same by an index; floor: exactly, in the database", "",
             where_it_is(&search_by_index)},
            {"vector_recall_hnsw", "%", "of the 10 nearest of 10,000 vectors around 50 centres, by an index", ">= 95",
             where_it_is([] { return recall_of_index(true, 200); })},
            {"vector_recall_hnsw_random", "%", "the same in no order, the worst case", "",
             where_it_is([] { return recall_of_index(false, 200); })},
            {"vector_recall_hnsw_random_1000", "%", "the same with 1,000 candidates", "",
             where_it_is([] { return recall_of_index(false, 1'000); })}};
}

}  // namespace weft_bench

#else

namespace weft_bench {

benchmarks pgvector_benchmarks() { return {}; }

}  // namespace weft_bench

#endif
