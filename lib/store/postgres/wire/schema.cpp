#include "schema.hpp"

#include "run_alone.hpp"

#include <weft/base/error.hpp>

#include <algorithm>
#include <cstring>

namespace weft::postgres_detail {

namespace {

constexpr sql_statement find_tables{"find_tables", "t",
                                    "SELECT to_regclass($1 || '.schema_version') IS NOT NULL,"
                                    " EXISTS (SELECT FROM pg_namespace WHERE '\"' || nspname || '\"' = $1)"};
constexpr sql_statement find_version{
    "find_version", "", "SELECT version, min_reader FROM schema_version ORDER BY version DESC LIMIT 1"};
constexpr sql_statement find_key{"find_key", "", "SELECT hash_key FROM store"};
/** Another process that migrates the same schema meanwhile waits here, and finds its work done. */
constexpr sql_statement lock_migrations{"lock_migrations", "t",
                                        "SELECT pg_advisory_xact_lock(hashtextextended('weft.schema.' || $1, 0))"};
constexpr sql_statement note_version{"note_version", "ii",
                                     "INSERT INTO schema_version (version, min_reader) VALUES ($1, $2)"};

struct found_schema {
    found_schema() noexcept {}

    std::optional<int> version;
    int min_reader = 0;
    bool has_schema = false;
};

/** A session that asks one thing at a time. */
class schema_session {
public:
    schema_session(pg_connection& connection, const pg_settings& settings) noexcept
        : connection_{connection}, settings_{settings}
    {
    }

    task<std::vector<sql_result>> run(sql_request request)
    {
        return run_alone(connection_, settings_, std::move(request), settings_.request_timeout * 2);
    }

    task<found_schema> look()
    {
        found_schema found;
        sql_parameters name;
        name.text(settings_.quoted_schema());
        sql_request tables;
        tables.step(find_tables, std::move(name));
        const std::vector<sql_result> is_there = co_await run(std::move(tables));
        found.has_schema = is_there[0].boolean(0, 1);
        if (!is_there[0].boolean(0, 0)) co_return found;
        sql_request version;
        version.step(find_version, sql_parameters{});
        const std::vector<sql_result> newest = co_await run(std::move(version));
        if (newest[0].empty()) co_return found;
        found.version = static_cast<int>(newest[0].integer(0, 0));
        found.min_reader = static_cast<int>(newest[0].integer(0, 1));
        co_return found;
    }

    /** Brings the tables from `found` to the version that this program knows, as one transaction. */
    task<void> migrate(found_schema found)
    {
        const std::string create = "CREATE SCHEMA IF NOT EXISTS " + settings_.quoted_schema();
        const sql_statement create_schema{"create_schema", "", create.c_str()};
        std::vector<sql_statement> parts;
        std::size_t count = 0;
        for (const schema_version& version : schema_versions()) count += version.statements.size();
        parts.reserve(count);  // the request refers to them
        sql_request request;
        sql_parameters name;
        name.text(settings_.schema);
        request.step(lock_migrations, std::move(name));
        if (!found.has_schema) request.step(create_schema, sql_parameters{});
        for (const schema_version& version : schema_versions()) {
            if (found.version && version.number <= *found.version) continue;
            for (const char* text : version.statements) {
                BOOST_ASSERT(parts.size() < parts.capacity());
                parts.push_back({"migrate", "", text});
                request.step(parts.back(), sql_parameters{});
            }
            sql_parameters numbers;
            numbers.integer(version.number).integer(version.min_reader);
            request.step(note_version, std::move(numbers));
        }
        const std::vector<sql_result> done = co_await run(std::move(request));
        static_cast<void>(done);
    }

private:
    pg_connection& connection_;
    const pg_settings& settings_;
};

error refusal(schema_step step, const found_schema& found, const pg_settings& settings, int known)
{
    const std::string schema = "schema '" + settings.schema + "'";
    if (step == schema_step::refuse_newer)
        return error{errc::store_refused, settings.where.label(),
                     schema + " has version " + std::to_string(*found.version) +
                         ", which needs a program that knows version " + std::to_string(found.min_reader) +
                         "; this one knows " + std::to_string(known) + ": use a newer weft"};
    const std::string what = found.version ? " has the old version " + std::to_string(*found.version)
                                           : std::string{" has no tables of weft"};
    return error{errc::store_refused, settings.where.label(),
                 schema + what + ": set it up (`prepare`) as a role that may create tables"};
}

}  // namespace

schema_step schema_step_for(std::optional<int> found, int min_reader, int known, bool may_migrate) noexcept
{
    if (found && *found >= known) return min_reader > known ? schema_step::refuse_newer : schema_step::use;
    return may_migrate ? schema_step::migrate : schema_step::refuse_missing;
}

bool is_schema_name(std::string_view name) noexcept
{
    constexpr std::size_t length_max = 41;
    const auto is_first = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
    const auto is_further = [&](char c) { return is_first(c) || (c >= '0' && c <= '9'); };
    return !name.empty() && name.size() <= length_max && is_first(name.front()) &&
           std::all_of(name.begin(), name.end(), is_further);
}

task<hash_key> open_schema(pg_connection& connection, const pg_settings& settings)
{
    schema_session session{connection, settings};
    const int known = schema_versions().back().number;
    found_schema found = co_await session.look();
    schema_step step = schema_step_for(found.version, found.min_reader, known, settings.may_migrate);
    if (step == schema_step::migrate) {
        std::optional<error> why;
        try {
            co_await session.migrate(found);
        } catch (const error& e) {
            why = e;
        }
        if (why && (why->code() == errc::cancelled || !connection.is_usable())) throw *why;
        found = co_await session.look();
        step = schema_step_for(found.version, found.min_reader, known, false);
        if (why && step == schema_step::refuse_missing) throw *why;
    }
    if (step != schema_step::use) throw refusal(step, found, settings, known);
    sql_request request;
    request.step(find_key, sql_parameters{});
    const std::vector<sql_result> rows = co_await session.run(std::move(request));
    hash_key key;
    if (rows[0].size() != 1 || rows[0].text(0, 0).size() != key.bytes.size())
        throw error{errc::store_corrupt, settings.where.label(),
                    "table '" + settings.schema + ".store' has not one row with a key of 16 bytes"};
    std::memcpy(key.bytes.data(), rows[0].text(0, 0).data(), key.bytes.size());
    co_return key;
}

}  // namespace weft::postgres_detail
