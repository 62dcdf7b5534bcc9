#pragma once

#include "postgres_server.hpp"
#include "skipped.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/base/clock.hpp>
#include <weft/base/error.hpp>
#include <weft/base/random.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/store/postgres_store.hpp>

#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>

namespace weft_tests {

/** The server that the cases of this process share; it ends with the process. */
inline postgres_server& shared_postgres_server()
{
    static postgres_server server;
    return server;
}

/** Skips a case where PostgreSQL is not installed. */
inline boost::test_tools::assertion_result has_postgres(boost::unit_test::test_unit_id)
{
    return postgres_server::programs().has_value() ||
           say_skipped("PostgreSQL is not installed: scripts/install-deps --services");
}

/** Skips a case where the server's machine does not have the extension pgvector. */
inline boost::test_tools::assertion_result has_pgvector(boost::unit_test::test_unit_id unit)
{
    const auto has_server = has_postgres(unit);
    if (!has_server) return has_server;
    const std::string found =
        shared_postgres_server().query("SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'");
    return found == "1" || say_skipped("the extension pgvector is not installed: scripts/install-deps --services");
}

/** Names of schemas and ids that no other case uses. */
class fresh_names {
public:
    std::string schema() { return "s" + std::to_string(++count()); }
    weft::run_id run() { return ids_.next<weft::run_id>(); }
    weft::checkpoint_id checkpoint() { return ids_.next<weft::checkpoint_id>(); }

private:
    static int& count()
    {
        static int schemas = 0;
        return schemas;
    }
    weft::random_source random_{42};
    weft::id_source ids_{weft::real_clock(), random_};
};

/** A store in a schema of its own on the shared server. */
inline weft::postgres_options options_on(const postgres_server& server, std::string schema)
{
    weft::postgres_options options{server.connection()};
    options.schema = std::move(schema);
    options.connections = 1;
    return options;
}

/** A database of the shared server that has the extension pgvector. */
inline const std::string& pgvector_database()
{
    static const std::string name = [] {
        const postgres_server& server = shared_postgres_server();
        server.query("CREATE DATABASE with_vectors");
        server.query("CREATE EXTENSION vector", "with_vectors");
        return std::string{"with_vectors"};
    }();
    return name;
}

/** A store in a schema of its own in that database. */
inline weft::postgres_options options_with_pgvector(std::string schema)
{
    weft::postgres_options options = options_on(shared_postgres_server(), std::move(schema));
    options.connection += " dbname=" + pgvector_database();
    return options;
}

inline std::unique_ptr<weft::postgres_store> open_store(const weft::postgres_options& options)
{
    return weft::run_blocking(weft::postgres_store::open(options));
}

/** The code of what a function throws; `errc{}` if it throws nothing. */
template <class Function>
weft::errc code_thrown_by(Function function)
{
    try {
        function();
    } catch (const weft::error& e) {
        BOOST_TEST_MESSAGE(e.what());
        return e.code();
    }
    return weft::errc{};
}

}  // namespace weft_tests
