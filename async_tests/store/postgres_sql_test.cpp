#ifdef WEFT_HAS_POSTGRES

#include "store/postgres/row_readers.hpp"
#include "store/postgres/sql/sql_error.hpp"
#include "store/postgres/sql/sql_result.hpp"
#include "store/postgres/sql/sql_statements.hpp"

#include <boost/test/unit_test.hpp>

#include <cstring>
#include <set>

namespace postgres_sql_test {

using namespace weft::postgres_detail;

/** A result as a server would send it: one row. */
class one_row {
public:
    one_row& column(std::string name, std::optional<std::string> bytes)
    {
        names_.push_back(std::move(name));
        values_.push_back(std::move(bytes));
        return *this;
    }
    sql_result result()
    {
        std::vector<PGresAttDesc> columns(names_.size());
        for (std::size_t i = 0; i < names_.size(); ++i) columns[i].name = names_[i].data();
        PGresult* rows = PQmakeEmptyPGresult(nullptr, PGRES_TUPLES_OK);
        PQsetResultAttrs(rows, static_cast<int>(columns.size()), columns.data());
        for (std::size_t i = 0; i < values_.size(); ++i)
            PQsetvalue(rows, 0, static_cast<int>(i), values_[i] ? values_[i]->data() : nullptr,
                       values_[i] ? static_cast<int>(values_[i]->size()) : -1);
        return sql_result{rows};
    }

private:
    std::vector<std::string> names_;
    std::vector<std::optional<std::string>> values_;
};

std::string int8(std::int64_t value)
{
    std::string bytes;
    append_int64(bytes, value);
    return bytes;
}

BOOST_AUTO_TEST_SUITE(postgres_sql_test)

BOOST_AUTO_TEST_CASE(parameters_stand_in_binary_form)
{
    weft::unique_id id;
    id.bytes.back() = 7;
    sql_parameters parameters;
    parameters.text("a\nb").integer(-2).id(id).id(weft::unique_id{}).boolean(true).null('t');
    BOOST_TEST(parameters.size() == 6u);
    BOOST_TEST(std::string(parameters.data(0), 3) == "a\nb");
    BOOST_TEST(parameters.length(1) == 8);
    BOOST_TEST(std::memcmp(parameters.data(1), "\xff\xff\xff\xff\xff\xff\xff\xfe", 8) == 0);
    BOOST_TEST(parameters.length(2) == 16);
    BOOST_TEST(parameters.data(3) == nullptr);
    BOOST_TEST(parameters.length(4) == 1);
    BOOST_TEST(parameters.data(5) == nullptr);
}

BOOST_AUTO_TEST_CASE(they_fit_only_statements_of_their_types)
{
    sql_parameters parameters;
    parameters.text("a").text("b");
    BOOST_TEST(parameters.fit(sql::lock_thread));
    parameters.integer(1);
    BOOST_TEST(!parameters.fit(sql::lock_thread));
    BOOST_TEST(parameters.fit(sql::load));
}

BOOST_AUTO_TEST_CASE(an_array_of_texts_is_read_as_it_was_written)
{
    for (const std::vector<std::string>& texts :
         {std::vector<std::string>{}, std::vector<std::string>{"a", "", "long enough for the heap, this one"}}) {
        sql_parameters parameters;
        parameters.texts(texts);
        const std::string bytes{parameters.data(0), static_cast<std::size_t>(parameters.length(0))};
        BOOST_TEST(one_row{}.column("space", bytes).result().texts(0, 0) == texts, boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(hashes_are_joined_and_split)
{
    std::vector<weft::content_hash> hashes(3);
    hashes[1].bytes[0] = 1;
    hashes[2].bytes[15] = 2;
    const std::string bytes{joined(hashes)};
    BOOST_TEST(bytes.size() == 48u);
    BOOST_TEST((split_hashes(bytes) == hashes));
    BOOST_TEST(!split_hashes(bytes.substr(1)).has_value());
}

BOOST_AUTO_TEST_CASE(values_of_rows_are_read)
{
    const sql_result row = one_row{}
                               .column("two", std::string{"\xff\xfe", 2})
                               .column("eight", int8(1'000'000'000'000))
                               .column("none", std::nullopt)
                               .column("yes", std::string{"\1"})
                               .column("moment", int8(1'000'000))
                               .result();
    BOOST_TEST(row.integer(0, 0) == -2);
    BOOST_TEST(row.integer(0, 1) == 1'000'000'000'000);
    BOOST_TEST(row.integer(0, 2) == 0);
    BOOST_TEST(row.id(0, 2).is_nil());
    BOOST_TEST(row.boolean(0, 3));
    // One second into the year 2000.
    BOOST_TEST(nanoseconds_of(row.moment(0, 4)) == 946'684'801'000'000'000);
    BOOST_TEST(nanoseconds_of(moment_of(1'234'567'890'123'456'789)) == 1'234'567'890'123'456'789);
}

BOOST_AUTO_TEST_CASE(a_value_of_another_shape_is_corrupt)
{
    const auto is_corrupt = [](const weft::error& e) {
        return e.code() == weft::errc::store_corrupt && e.detail().find("'wrong'") != std::string::npos;
    };
    const sql_result row = one_row{}.column("wrong", std::string{"abc"}).result();
    BOOST_CHECK_EXCEPTION(static_cast<void>(row.integer(0, 0)), weft::error, is_corrupt);
    BOOST_CHECK_EXCEPTION(static_cast<void>(row.boolean(0, 0)), weft::error, is_corrupt);
    BOOST_CHECK_EXCEPTION(static_cast<void>(row.id(0, 0)), weft::error, is_corrupt);
    BOOST_CHECK_EXCEPTION(static_cast<void>(row.hashes(0, 0)), weft::error, is_corrupt);
    BOOST_CHECK_EXCEPTION(static_cast<void>(row.texts(0, 0)), weft::error, is_corrupt);
}

BOOST_AUTO_TEST_CASE(an_unknown_enumerator_is_corrupt)
{
    const sql_result row = one_row{}
                               .column("address", "a").column("phase", int8(9))
                               .column("key", "").column("body", "").column("epoch", int8(1)).result();
    BOOST_CHECK_EXCEPTION(static_cast<void>(read_effect(row, 0)), weft::error,
                          [](const weft::error& e) { return e.code() == weft::errc::store_corrupt; });
}

BOOST_AUTO_TEST_CASE(failures_are_told_apart_by_sqlstate)
{
    BOOST_TEST((failure_of("23505", "").kind == failure_kind::duplicate));
    BOOST_TEST((failure_of("40P01", "").kind == failure_kind::again));
    BOOST_TEST((failure_of("40001", "").kind == failure_kind::again));
    BOOST_TEST((failure_of("57P01", "").kind == failure_kind::lost));
    BOOST_TEST((failure_of("08006", "").kind == failure_kind::lost));
    BOOST_TEST((failure_of("", "server closed the connection").kind == failure_kind::lost));
    BOOST_TEST((failure_of("53100", "").code == weft::errc::store_full));
    BOOST_TEST((failure_of("57014", "").code == weft::errc::store_unavailable));
    BOOST_TEST((failure_of("XX001", "").code == weft::errc::store_corrupt));
    BOOST_TEST((failure_of("54000", "").code == weft::errc::limit_reached));
    BOOST_TEST((failure_of("22021", "").code == weft::errc::store_refused));
    const sql_failure full = failure_of("53100", "could not extend file");
    BOOST_TEST(full.detail == "could not extend file (SQLSTATE 53100); free space on the server's disk");
}

BOOST_AUTO_TEST_CASE(each_statement_has_its_own_name_and_as_many_types_as_parameters)
{
    std::set<std::string> names;
    for (const sql_statement* statement : all_statements()) {
        BOOST_TEST(names.insert(statement->name).second, statement->name);
        const std::string text = statement->text;
        const std::size_t count = statement->parameter_count();
        for (std::size_t i = 1; i <= count; ++i)
            BOOST_TEST(text.find("$" + std::to_string(i)) != std::string::npos, statement->name << " $" << i);
        BOOST_TEST(text.find("$" + std::to_string(count + 1)) == std::string::npos, statement->name);
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace postgres_sql_test

#endif
