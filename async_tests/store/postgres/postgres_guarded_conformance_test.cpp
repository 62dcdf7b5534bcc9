#ifdef WEFT_HAS_POSTGRES

#include "seed_count.hpp"
#include "store/store_for_tenants.hpp"
#include "store/tenant_roles.hpp"

#include <weft/testing/store_conformance.hpp>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace postgres_guarded_conformance_test {

namespace data = boost::unit_test::data;
namespace ut = boost::unit_test;

using namespace weft_tests;
using namespace std::chrono_literals;

/** The store of all cases of the process, with empty tables: to connect takes longer than most checks. */
weft::postgres_store& empty_store()
{
    static const weft::postgres_options options = guarded_options(fresh_names{}.schema());
    static const std::unique_ptr<weft::postgres_store> opened = open_store(options);
    std::string text = "SET search_path = " + options.schema;
    for (const char* const table : {"run", "event_log", "run_event", "thread", "checkpoint", "blob", "effect",
                                    "question", "item", "item_vector", "document", "worker", "bucket", "bucket_freed"})
        text.append("; DELETE FROM ").append(table);
    shared_postgres_server().query(text);
    return *opened;
}

class guarded_trial final : public weft::testing::store_under_test {
public:
    weft::checkpoint_store& store() override { return calls_; }
    std::chrono::milliseconds lifetime() const override { return 600ms; }

private:
    store_for_tenants calls_{empty_store()};
};

class guarded_items_trial final : public weft::testing::item_store_under_test {
public:
    explicit guarded_items_trial(weft::item_store& inner) : items_{inner} {}
    weft::item_store& store() override { return items_; }
    std::chrono::milliseconds lifetime() const override { return 600ms; }

private:
    items_for_tenants items_;
};

class guarded_service_trial final : public weft::testing::service_store_under_test {
public:
    guarded_service_trial() { runs_.use_log(calls_); }
    weft::checkpoint_store& store() override { return runs_; }
    weft::service_store& service() override { return calls_; }
    std::chrono::milliseconds lifetime() const override { return 600ms; }

private:
    weft::postgres_store& inner_ = empty_store();
    store_for_tenants runs_{inner_};
    service_for_tenants calls_{inner_.service(), inner_};
};

/** All of them in Release. */
std::vector<weft::testing::store_check> tried_store_checks()
{
    const std::vector<weft::testing::store_check>& all = weft::testing::store_checks();
    std::vector<weft::testing::store_check> tried;
    for (std::size_t i = 0; i < all.size(); i += moment_stride) tried.push_back(all[i]);
    return tried;
}

BOOST_AUTO_TEST_SUITE(postgres_guarded_conformance_test, *ut::precondition(has_postgres))

BOOST_DATA_TEST_CASE(requests_of_tenants_get_what_stores_promise, data::make(tried_store_checks()), check)
{
    guarded_trial trial;
    BOOST_TEST_CONTEXT(check.name) weft::run_blocking(check.run(trial));
}

BOOST_DATA_TEST_CASE(requests_of_tenants_get_what_services_promise, data::make(weft::testing::service_store_checks()),
                     check)
{
    guarded_service_trial trial;
    BOOST_TEST_CONTEXT(check.name) weft::run_blocking(check.run(trial));
}

BOOST_AUTO_TEST_CASE(requests_of_tenants_get_what_item_stores_promise)
{
    for (const auto* checks : {&weft::testing::item_store_checks(), &weft::testing::item_vectors_checks()})
        for (const weft::testing::item_store_check& check : *checks) {
            guarded_items_trial trial{empty_store()};
            BOOST_TEST_CONTEXT(check.name) weft::run_blocking(check.run(trial));
        }
}

BOOST_TEST_DECORATOR(*ut::precondition(has_pgvector))
BOOST_AUTO_TEST_CASE(requests_of_tenants_search_vectors_in_the_database)
{
    weft::postgres_options options = guarded_options({});
    options.connection += " dbname=" + pgvector_database();
    for (const weft::testing::item_store_check& check : weft::testing::item_vectors_checks()) {
        options.schema = fresh_names{}.schema();
        const std::unique_ptr<weft::postgres_store> inner = open_store(options);
        guarded_items_trial trial{*inner};
        BOOST_TEST_CONTEXT(check.name) weft::run_blocking(check.run(trial));
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace postgres_guarded_conformance_test

#endif
