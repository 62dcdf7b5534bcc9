#ifdef WEFT_HAS_POSTGRES

#include "store/postgres_fixture.hpp"

#include <weft/store/item_vectors.hpp>

#include <random>

namespace postgres_pgvector_test {

namespace ut = boost::unit_test;

using namespace weft_tests;

using components = std::vector<float>;
using names = std::vector<std::string>;

const std::optional<std::chrono::milliseconds> no_end;

std::string in_database(const std::string& statement)
{
    return shared_postgres_server().query(statement, pgvector_database());
}

std::string filled_in(const std::string& schema)
{
    return in_database("SELECT count(*) FROM " + schema + ".item_vector WHERE embedding IS NOT NULL");
}

void put(weft::postgres_store& store, std::string name, components vector, boost::json::value value = 1)
{
    weft::item_key key{{"a"}, std::move(name)};
    weft::run_blocking(store.vectors()->put_with_vector("t", std::move(key), std::move(value),
                                                        {"m", std::move(vector)}, no_end));
}

std::vector<weft::item_match> nearest(weft::postgres_store& store, components wanted, std::size_t count,
                                      std::string filter = "{}")
{
    weft::vector_query query;
    query.vector = {"m", std::move(wanted)};
    query.contains = std::move(filter);
    query.count_max = count;
    return weft::run_blocking(store.vectors()->nearest("t", {"a"}, std::move(query)));
}

names nearest_names(weft::postgres_store& store, components wanted, std::size_t count, std::string filter = "{}")
{
    names found;
    for (const weft::item_match& each : nearest(store, std::move(wanted), count, std::move(filter)))
        found.push_back(each.item.key.name);
    return found;
}

std::string detail_thrown_by(const weft::postgres_options& options)
{
    try {
        open_store(options).reset();
    } catch (const weft::error& e) {
        return e.code() == weft::errc::store_refused || e.code() == weft::errc::invalid_configuration ? e.detail() : "";
    }
    return "nothing";
}

/** The store of a program that knows nothing of the extension, on the same schema. */
std::unique_ptr<weft::postgres_store> open_without(weft::postgres_options options)
{
    options.vectors = {};
    options.vectors.pgvector = weft::pgvector_use::none;
    return open_store(options);
}

BOOST_AUTO_TEST_SUITE(postgres_pgvector_test, *ut::precondition(has_pgvector))

// A row whose embedding is another direction than its bytes shows which of both was searched, and which one is scored.
BOOST_AUTO_TEST_CASE(the_database_searches_and_the_bytes_are_scored)
{
    const std::string schema = fresh_names{}.schema();
    const auto store = open_store(options_with_pgvector(schema));
    put(*store, "east", {1, 0});
    put(*store, "north", {0, 1});
    BOOST_TEST(nearest_names(*store, {1, 0}, 1) == names{"east"}, boost::test_tools::per_element());
    in_database("UPDATE " + schema + ".item_vector SET embedding = '[1,0.001]' WHERE name = 'north'");
    in_database("UPDATE " + schema + ".item_vector SET embedding = '[-1,0]' WHERE name = 'east'");
    const auto found = nearest(*store, {1, 0}, 1);
    BOOST_TEST_REQUIRE(found.size() == 1u);
    BOOST_TEST(found[0].item.key.name == "north");
    BOOST_TEST(found[0].score == 0.0F);
}

BOOST_AUTO_TEST_CASE(a_store_that_is_told_not_to_use_it_adds_nothing)
{
    const weft::postgres_options options = options_with_pgvector(fresh_names{}.schema());
    const auto store = open_without(options);
    put(*store, "east", {1, 0});
    BOOST_TEST(in_database("SELECT count(*) FROM pg_attribute WHERE attrelid = '" + options.schema +
                           ".item_vector'::regclass AND attname = 'embedding'") == "0");
    BOOST_TEST(nearest_names(*store, {1, 0}, 5) == names{"east"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_an_older_program_wrote_is_found_and_filled)
{
    const weft::postgres_options options = options_with_pgvector(fresh_names{}.schema());
    const auto older = open_without(options);
    for (int i = 0; i < 40; ++i) put(*older, "older " + std::to_string(i), {1, static_cast<float>(i + 1)});
    weft::run_blocking(weft::postgres_store::prepare(options));
    BOOST_TEST(filled_in(options.schema) == "40");
    const auto store = open_store(options);
    put(*store, "newer", {1, 0});
    put(*older, "older 0", {1, -0.1F});
    BOOST_TEST(filled_in(options.schema) == "40");
    BOOST_TEST(nearest_names(*store, {1, 0}, 3) == (names{"newer", "older 0", "older 1"}),
               boost::test_tools::per_element());
    BOOST_TEST(nearest_names(*older, {1, 0}, 3) == (names{"newer", "older 0", "older 1"}),
               boost::test_tools::per_element());
    weft::run_blocking(weft::postgres_store::prepare(options));
    BOOST_TEST(filled_in(options.schema) == "41");
    BOOST_TEST(nearest_names(*store, {1, 0}, 3) == (names{"newer", "older 0", "older 1"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(equal_scores_of_filled_and_unfilled_vectors_come_by_key)
{
    const weft::postgres_options options = options_with_pgvector(fresh_names{}.schema());
    const auto store = open_store(options);
    const auto older = open_without(options);
    for (const char* name : {"d", "b", "f"}) put(*store, name, {1, 2});
    for (const char* name : {"c", "a", "e"}) put(*older, name, {1, 2});
    for (std::size_t count = 1; count <= 6; ++count) {
        names wanted{"a", "b", "c", "d", "e", "f"};
        wanted.resize(count);
        BOOST_TEST(nearest_names(*store, {1, 2}, count) == wanted, boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(an_extension_that_goes_away_is_done_without)
{
    const std::string database = "short_of_vectors";
    const postgres_server& server = shared_postgres_server();
    server.query("CREATE DATABASE " + database);
    server.query("CREATE EXTENSION vector", database);
    weft::postgres_options options = options_on(server, fresh_names{}.schema());
    options.connection += " dbname=" + database;
    const auto writer = open_store(options);
    const auto reader = open_store(options);
    put(*writer, "east", {1, 0});
    BOOST_TEST(nearest_names(*reader, {1, 0}, 5) == names{"east"}, boost::test_tools::per_element());
    server.query("DROP EXTENSION vector CASCADE", database);
    put(*writer, "north", {0, 1});
    BOOST_TEST(nearest_names(*reader, {1, 0}, 5) == (names{"east", "north"}), boost::test_tools::per_element());
    server.end_connections();
    put(*writer, "near", {1, 0.5F});
    const auto again = open_store(options);
    for (weft::postgres_store* store : {writer.get(), reader.get(), again.get()})
        BOOST_TEST(nearest_names(*store, {1, 0}, 2) == (names{"east", "near"}), boost::test_tools::per_element());
    server.query("CREATE EXTENSION vector", database);
    weft::run_blocking(weft::postgres_store::prepare(options));
    BOOST_TEST(server.query("SELECT count(*) FROM " + options.schema + ".item_vector WHERE embedding IS NOT NULL",
                            database) == "3");
}

// A search in the server cannot read such a value, and the one in the program can.
BOOST_AUTO_TEST_CASE(a_filter_finds_values_that_the_database_cannot_read)
{
    const auto store = open_store(options_with_pgvector(fresh_names{}.schema()));
    const boost::json::value zero = {{"text", std::string(1, '\0')}, {"likes", "tea"}};
    put(*store, "zero", {1, 0}, zero);
    put(*store, "rain", {1, 0}, {{"likes", "rain"}});
    BOOST_TEST(nearest_names(*store, {1, 0}, 5, R"({"likes": "tea"})") == names{"zero"},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(vectors_that_the_type_cannot_have_are_found_too)
{
    const weft::postgres_options options = options_with_pgvector(fresh_names{}.schema());
    const auto store = open_store(options);
    components longest(weft::item_vector::dimensions_max, 1.0F);
    put(*store, "longest", longest);
    BOOST_TEST(filled_in(options.schema) == "0");
    BOOST_TEST(nearest_names(*store, longest, 5) == names{"longest"}, boost::test_tools::per_element());
    weft::run_blocking(weft::postgres_store::prepare(options));
}

BOOST_AUTO_TEST_CASE(a_role_that_may_not_create_needs_a_prepared_column_for_an_index_only)
{
    const std::string schema = fresh_names{}.schema();
    const weft::postgres_options owners = options_with_pgvector(schema);
    open_without(owners).reset();
    in_database("DROP ROLE IF EXISTS vector_reader");
    in_database("CREATE ROLE vector_reader LOGIN");
    in_database("GRANT USAGE ON SCHEMA " + schema + " TO vector_reader");
    in_database("GRANT ALL ON ALL TABLES IN SCHEMA " + schema + " TO vector_reader");
    in_database("GRANT ALL ON ALL SEQUENCES IN SCHEMA " + schema + " TO vector_reader");
    weft::postgres_options readers = owners;
    readers.connection += " user=vector_reader";
    for (const bool may_migrate : {false, true}) {
        readers.may_migrate = may_migrate;
        const auto store = open_store(readers);
        put(*store, "east", {1, 0});
        BOOST_TEST(nearest_names(*store, {1, 0}, 5) == names{"east"}, boost::test_tools::per_element());
    }
    readers.may_migrate = false;
    readers.vectors.index = weft::postgres_vector_index{"m", 2};
    BOOST_TEST(detail_thrown_by(readers).find("(`prepare`)") != std::string::npos);
    weft::postgres_options indexing = owners;
    indexing.vectors = readers.vectors;
    weft::run_blocking(weft::postgres_store::prepare(indexing));
    const auto store = open_store(readers);
    put(*store, "north", {0, 1});
    BOOST_TEST(filled_in(schema) == "2");
    BOOST_TEST(nearest_names(*store, {1, 0}, 1) == names{"east"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_extension_is_made_only_when_that_is_asked_for)
{
    const std::string database = "without_vectors";
    const postgres_server& server = shared_postgres_server();
    const auto installed = [&] {
        return server.query("SELECT count(*) FROM pg_extension WHERE extname = 'vector'", database);
    };
    server.query("CREATE DATABASE " + database);
    weft::postgres_options options = options_on(server, fresh_names{}.schema());
    options.connection += " dbname=" + database;
    open_store(options).reset();
    BOOST_TEST(installed() == "0");
    options.vectors.index = weft::postgres_vector_index{"m", 2};
    BOOST_TEST(detail_thrown_by(options).find("CREATE EXTENSION vector") != std::string::npos);
    options.vectors.pgvector = weft::pgvector_use::create;
    server.query("DROP ROLE IF EXISTS no_creator");
    server.query("CREATE ROLE no_creator LOGIN");
    server.query("GRANT ALL ON SCHEMA " + options.schema + " TO no_creator", database);
    server.query("GRANT ALL ON ALL TABLES IN SCHEMA " + options.schema + " TO no_creator", database);
    weft::postgres_options poor = options;
    poor.connection += " user=no_creator";
    BOOST_TEST(detail_thrown_by(poor).find("permission denied to create extension") != std::string::npos);
    poor.may_migrate = false;
    BOOST_TEST(detail_thrown_by(poor).find("the extension 'vector' is missing") != std::string::npos);
    BOOST_TEST(installed() == "0");
    open_store(options).reset();
    BOOST_TEST(installed() == "1");
}

components random_direction(std::mt19937& random, std::size_t dimensions)
{
    std::normal_distribution<float> component;
    components made(dimensions);
    for (float& each : made) each = component(random);
    return made;
}

std::string scans_of_index(const std::string& schema)
{
    // What a session counted is there when it has ended.
    const postgres_server& server = shared_postgres_server();
    while (in_database("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                       " AND pid <> pg_backend_pid() AND backend_type = 'client backend'") != "0")
        server.end_connections();
    return in_database("SELECT sum(idx_scan) FROM pg_stat_user_indexes WHERE schemaname = '" + schema +
                       "' AND indexrelname LIKE 'item_vector_near_%'");
}

BOOST_AUTO_TEST_CASE(an_index_is_used_for_its_model_and_finds_what_is_nearest)
{
    for (const std::size_t dimensions : {8U, 2'500U}) {
        weft::postgres_options options = options_with_pgvector(fresh_names{}.schema());
        const auto exact = open_store(options);
        std::mt19937 random{3};
        for (int i = 0; i < 120; ++i)
            put(*exact, std::to_string(i), random_direction(random, dimensions), {{"i", i % 2}});
        options.vectors.index = weft::postgres_vector_index{"m", dimensions};
        auto indexed = open_store(options);
        for (int i = 0; i < 5; ++i) {
            const components wanted = random_direction(random, dimensions);
            for (const char* filter : {"{}", R"({"i": 1})"})
                BOOST_TEST(nearest_names(*indexed, wanted, 3, filter) == nearest_names(*exact, wanted, 3, filter),
                           boost::test_tools::per_element());
        }
        put(*exact, "other dimensions", {1, 2, 3});
        const auto says_both = [](const weft::error& e) {
            return e.code() == weft::errc::invalid_configuration &&
                   e.detail().find("3 dimensions") != std::string::npos;
        };
        BOOST_CHECK_EXCEPTION(nearest(*indexed, random_direction(random, dimensions), 3), weft::error, says_both);
        indexed.reset();
        BOOST_TEST(scans_of_index(options.schema) == "11");
    }
}

BOOST_AUTO_TEST_CASE(an_index_that_cannot_be_is_refused)
{
    weft::postgres_options options = options_with_pgvector(fresh_names{}.schema());
    options.vectors.index = weft::postgres_vector_index{"m", 4'001};
    BOOST_TEST(detail_thrown_by(options).find("4001") != std::string::npos);
    options.vectors.index = weft::postgres_vector_index{"m", 0};
    BOOST_TEST(detail_thrown_by(options).find("are 0") != std::string::npos);
    options.vectors.index = weft::postgres_vector_index{"m", 2, 1'001};
    BOOST_TEST(detail_thrown_by(options).find("1001") != std::string::npos);
    options.vectors.index = weft::postgres_vector_index{"m", 2};
    options.vectors.pgvector = weft::pgvector_use::none;
    BOOST_TEST(detail_thrown_by(options).find("`none`") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace postgres_pgvector_test

#endif
