#ifdef WEFT_HAS_POSTGRES

#include "postgres_fixture.hpp"

#include <weft/testing/store_conformance.hpp>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>

namespace postgres_conformance_test {

namespace data = boost::unit_test::data;
namespace ut = boost::unit_test;

using namespace weft_tests;

/** Two stores on one schema, as two processes have them. */
template <class Base, class Interface>
class postgres_trial final : public Base {
public:
    explicit postgres_trial(const weft::postgres_options& options =
                                options_on(shared_postgres_server(), fresh_names{}.schema()))
        : first_{open_store(options)}, second_{open_store(options)}
    {
    }
    Interface& store() override { return *first_; }
    Interface& other() override { return *second_; }
    // The server's clock is real, and it is shared with whatever else this machine does.
    std::chrono::milliseconds lifetime() const override { return std::chrono::seconds{1}; }

private:
    std::unique_ptr<weft::postgres_store> first_;
    std::unique_ptr<weft::postgres_store> second_;
};

class postgres_service_trial final : public weft::testing::service_store_under_test {
public:
    postgres_service_trial()
    {
        const weft::postgres_options options = options_on(shared_postgres_server(), fresh_names{}.schema());
        first_ = open_store(options);
        second_ = open_store(options);
    }
    weft::checkpoint_store& store() override { return *first_; }
    weft::service_store& service() override { return first_->service(); }
    weft::service_store& other() override { return second_->service(); }
    std::chrono::milliseconds lifetime() const override { return std::chrono::seconds{1}; }

private:
    std::unique_ptr<weft::postgres_store> first_;
    std::unique_ptr<weft::postgres_store> second_;
};

BOOST_AUTO_TEST_SUITE(postgres_conformance_test, *ut::precondition(has_postgres))

BOOST_DATA_TEST_CASE(it_keeps_what_stores_promise, data::make(weft::testing::store_checks()), check)
{
    postgres_trial<weft::testing::store_under_test, weft::checkpoint_store> trial;
    BOOST_TEST_CONTEXT(check.name) weft::run_blocking(check.run(trial));
}

BOOST_DATA_TEST_CASE(it_keeps_what_item_stores_promise, data::make(weft::testing::item_store_checks()), check)
{
    postgres_trial<weft::testing::item_store_under_test, weft::item_store> trial;
    BOOST_TEST_CONTEXT(check.name) weft::run_blocking(check.run(trial));
}

BOOST_DATA_TEST_CASE(it_keeps_what_vectors_promise, data::make(weft::testing::item_vectors_checks()), check)
{
    postgres_trial<weft::testing::item_store_under_test, weft::item_store> trial;
    BOOST_TEST_CONTEXT(check.name) weft::run_blocking(check.run(trial));
}

using items_trial = postgres_trial<weft::testing::item_store_under_test, weft::item_store>;

void check_with_pgvector(const weft::testing::item_store_check& check, const weft::postgres_options& options)
{
    items_trial trial{options};
    BOOST_TEST_CONTEXT(check.name) weft::run_blocking(check.run(trial));
}

BOOST_TEST_DECORATOR(*ut::precondition(has_pgvector))
BOOST_DATA_TEST_CASE(it_keeps_what_vectors_promise_with_pgvector, data::make(weft::testing::item_vectors_checks()),
                     check)
{
    check_with_pgvector(check, options_with_pgvector(fresh_names{}.schema()));
}

// Most checks have fewer vectors than the index is asked for, so that all are looked at; the random ones have more.
BOOST_TEST_DECORATOR(*ut::precondition(has_pgvector))
BOOST_DATA_TEST_CASE(it_keeps_what_vectors_promise_with_an_index, data::make(weft::testing::item_vectors_checks()),
                     check)
{
    weft::postgres_options options = options_with_pgvector(fresh_names{}.schema());
    options.vectors.index = weft::postgres_vector_index{"m", 2};
    check_with_pgvector(check, options);
    options.schema = fresh_names{}.schema();
    options.vectors.index = weft::postgres_vector_index{"m", 37};
    check_with_pgvector(check, options);
}

BOOST_DATA_TEST_CASE(it_keeps_what_service_stores_promise, data::make(weft::testing::service_store_checks()), check)
{
    postgres_service_trial trial;
    BOOST_TEST_CONTEXT(check.name) weft::run_blocking(check.run(trial));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace postgres_conformance_test

#endif
