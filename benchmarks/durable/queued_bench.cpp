#include "harness/bench.hpp"

#ifdef WEFT_HAS_POSTGRES

#include "harness/cpu_clock.hpp"
#include "store/postgres_server.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/store/postgres_store.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace weft_bench {

namespace {

constexpr int runs_a_claim = 32;

/** A store of PostgreSQL with so many ready runs, and a worker that takes them. */
class long_queue {
public:
    long_queue(const weft_tests::postgres_server& server, std::string schema, int runs, int tenants)
        : server_{server}, schema_{std::move(schema)}, tenants_{tenants}, store_{open()},
          worker_{weft::run_blocking(store_->enter("claims", std::chrono::hours{24}))}
    {
        add(runs);
    }

    /** The median of several claims, in ms. The queue stays as long as it is. */
    double claim_time()
    {
        std::vector<double> times;
        for (int i = amount(40, 2); i > 0; --i) {
            const double before = wall_ms();
            const std::vector<weft::run_claim> claims = weft::run_blocking(store_->claim(worker_, runs_a_claim));
            times.push_back(wall_ms() - before);
            require(claims.size() == runs_a_claim, "a claim took fewer runs than it asked for");
            add(runs_a_claim);
        }
        const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
        std::nth_element(times.begin(), middle, times.end());
        return *middle;
    }

private:
    std::unique_ptr<weft::postgres_store> open() const
    {
        weft::postgres_options options{server_.connection()};
        options.schema = schema_;
        return weft::run_blocking(weft::postgres_store::open(options));
    }

    /** Enters runs by one statement, each in a thread of its own. */
    void add(int runs) const
    {
        server_.query("SET search_path = " + schema_ +
                      "; SET synchronous_commit = off; WITH t AS (INSERT INTO thread (tenant, name, active)"
                      " SELECT 'tenant ' || i % " + std::to_string(tenants_) + ", gen_random_uuid(), gen_random_uuid()"
                      " FROM generate_series(1, " + std::to_string(runs) + ") i RETURNING no, tenant, active)"
                      " INSERT INTO run (id, thread, tenant, phase, attempts_max, graph, input, place)"
                      " SELECT active, no, tenant, 1, 3, 'queued', '', (extract(epoch FROM now()) * 1000000)::int8 + no"
                      " FROM t");
    }

    const weft_tests::postgres_server& server_;
    std::string schema_;
    int tenants_;
    std::unique_ptr<weft::postgres_store> store_;
    weft::worker_id worker_;
};

measurement measure_claims(int tenants)
{
    weft_tests::postgres_server::options synced;
    synced.is_synced = true;
    const weft_tests::postgres_server server{synced};
    long_queue few{server, "few", 1'000, tenants};
    long_queue many{server, "many", amount(1'000'000, 2'000), tenants};
    return take_turns(3, [&] { return many.claim_time(); }, [&] { return few.claim_time(); });
}

}  // namespace

benchmarks queued_benchmarks()
{
    const std::string what = "a claim of 32 runs beside 1,000,000 ready ones in PostgreSQL, ";
    return {{"claim_queued_1000000", "ms", what + "of one tenant; floor: beside 1,000", "ratio <= 1.5",
             [] { return measure_claims(1); }},
            {"claim_queued_1000000_tenants", "ms", what + "of 16 tenants; floor: beside 1,000", "ratio <= 1.5",
             [] { return measure_claims(16); }}};
}

}  // namespace weft_bench

#else

namespace weft_bench {

benchmarks queued_benchmarks() { return {}; }

}  // namespace weft_bench

#endif
