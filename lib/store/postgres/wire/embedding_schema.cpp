#include "embedding_schema.hpp"

#include "pg_session.hpp"
#include "run_alone.hpp"

#include <weft/base/error.hpp>
#include <weft/store/item_store.hpp>

#include <boost/system/system_error.hpp>

#include <algorithm>
#include <chrono>
#include <list>
#include <optional>
#include <utility>

namespace weft::postgres_detail {

namespace {

// An index over millions of vectors takes that long.
constexpr std::chrono::hours index_time_max{2};
constexpr std::size_t fill_bytes = 1024 * 1024;
constexpr std::size_t fill_rows_max = 256;
constexpr std::size_t component_size = 4;

constexpr sql_statement find_extension{
    "find_extension", "tt",
    "SELECT (SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace"
    "   WHERE e.extname = 'vector'),"
    " EXISTS (SELECT FROM pg_extension WHERE extname = 'vector'"
    "   AND string_to_array(extversion, '.')::int[] >= '{0,8}'),"
    " EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector'),"
    " EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'item_vector'::regclass AND attname = 'embedding'"
    "   AND NOT attisdropped), to_regclass($1) IS NOT NULL AND to_regclass($2) IS NOT NULL"};
// Extensions belong to the whole database: one process makes this one, and others find it made.
constexpr sql_statement lock_extension{"lock_extension", "",
                                       "SELECT pg_advisory_xact_lock(hashtextextended('weft.extension', 0))"};
constexpr sql_statement create_extension{"create_extension", "",
                                         "CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public"};
constexpr sql_statement add_expires{"add_expires", "",
                                    "ALTER TABLE item_vector ADD COLUMN IF NOT EXISTS expires timestamptz"};
// A search reads all of them: in the rows, as long as they fit into a page.
constexpr sql_statement keep_in_rows{"keep_in_rows", "",
                                     "ALTER TABLE item_vector ALTER COLUMN embedding SET STORAGE MAIN"};
constexpr sql_statement index_unfilled{"index_unfilled", "",
                                       "CREATE INDEX IF NOT EXISTS item_vector_unfilled ON item_vector"
                                       " (tenant, space, name) WHERE embedding IS NULL"};
constexpr sql_statement lift_time_limit{"lift_time_limit", "", "SELECT set_config('statement_timeout', '0', true)"};
constexpr sql_statement find_unfilled{
    "find_unfilled", "ii",
    "SELECT EXISTS (SELECT FROM item_vector WHERE embedding IS NULL AND octet_length(vector) BETWEEN $1 AND $2)"};
constexpr sql_statement list_to_fill{
    "list_to_fill", "tTtiii",
    "SELECT tenant, space, name, vector FROM item_vector WHERE (tenant, space, name) > ($1, $2, $3)"
    " AND embedding IS NULL AND octet_length(vector) BETWEEN $4 AND $5 ORDER BY tenant, space, name LIMIT $6"};

struct found_extension {
    found_extension() noexcept {}

    std::string schema;  // quoted; empty: none
    bool takes_index = false;
    bool is_available = false;
    bool has_column = false;
    bool has_index = false;
};

/** What can be in the column, in bytes. */
void add_sizes(sql_parameters& to)
{
    to.integer(component_size).integer(static_cast<std::int64_t>(embedding_dimensions_max * component_size));
}

class embedding_session {
public:
    embedding_session(pg_connection& connection, const pg_settings& settings) noexcept
        : connection_{connection}, settings_{settings}
    {
    }

    task<bool> open()
    {
        co_await look();
        if (settings_.creates_pgvector && found_.schema.empty()) co_await create();
        if (found_.schema.empty()) co_return refuse_index("the database has not");
        if (!found_.has_column) co_await add_column();
        const std::optional<embedding_index>& index = settings_.vector_index;
        if (index && !found_.takes_index) refuse_index("is older than 0.8 here: ALTER EXTENSION vector UPDATE, or");
        auto statements = std::make_unique<const embedding_statements>(found_.schema, index);
        const embedding_statements& known = *statements;
        bool has_unfilled = co_await is_unfilled();
        const bool makes_index = index && !found_.has_index;
        if (has_unfilled && settings_.may_migrate && (settings_.fills_at_once || makes_index)) {
            co_await fill(known);
            has_unfilled = false;
        }
        if (makes_index) co_await make_index(*index);
        settings_.embeddings->turn_on(std::move(statements));
        co_return has_unfilled;
    }

    task<void> fill(const embedding_statements& statements)
    {
        std::size_t limit = 1;  // the first one says how large they are
        std::optional<item_key> after;
        std::string tenant;
        for (;;) {
            sql_parameters from;
            from.text(tenant).texts(after ? after->space : std::vector<std::string>{});
            from.text(after ? after->name : std::string{});
            add_sizes(from);
            from.integer(static_cast<std::int64_t>(limit));
            const sql_result rows = co_await one(list_to_fill, std::move(from));
            if (rows.empty()) co_return;
            const std::size_t last = rows.size() - 1;
            tenant = rows.text(last, 0);
            after = item_key{rows.texts(last, 1), std::string{rows.text(last, 2)}};
            co_await fill_rows(statements, rows);
            limit = std::clamp<std::size_t>(fill_bytes / rows.text(last, 3).size(), 1, fill_rows_max);
        }
    }

private:
    task<std::vector<sql_result>> run(sql_request request)
    {
        return run_alone(connection_, settings_, std::move(request), settings_.request_timeout * 2);
    }

    task<sql_result> one(const sql_statement& statement, sql_parameters parameters)
    {
        sql_request request;
        request.step(statement, std::move(parameters));
        std::vector<sql_result> rows = co_await run(std::move(request));
        co_return std::move(rows[0]);
    }

    task<void> look()
    {
        const embedding_index index = settings_.vector_index.value_or(embedding_index{});
        sql_parameters names;
        names.text(index_name(index)).text(misfit_index_name(index));
        const sql_result rows = co_await one(find_extension, std::move(names));
        found_.schema = rows.text(0, 0);
        found_.takes_index = rows.boolean(0, 1);
        found_.is_available = rows.boolean(0, 2);
        found_.has_column = rows.boolean(0, 3);
        found_.has_index = rows.boolean(0, 4);
    }

    /** @return   False, if no index is asked for. */
    bool refuse_index(const std::string& why) const
    {
        const std::optional<embedding_index>& index = settings_.vector_index;
        if (index)
            throw error{errc::store_refused, settings_.where.label(),
                        "an index of the vectors of the model '" + index->model +
                            "' is asked for, and the extension 'vector' (pgvector) " + why +
                            (found_.schema.empty() ? " it: CREATE EXTENSION vector (pgvector 'create'), or" : "") +
                            " leave `index` out"};
        return false;
    }

    task<void> create()
    {
        if (!found_.is_available)
            throw error{errc::store_refused, settings_.where.label(),
                        "the extension 'vector' is asked for (pgvector 'create'), and the server's machine does not"
                        " have it: install pgvector there (Debian 13: postgresql-17-pgvector)"};
        if (!settings_.may_migrate) refuse_to_make("the extension 'vector'");
        sql_request request;
        request.step(lock_extension, sql_parameters{}).step(create_extension, sql_parameters{});
        const std::vector<sql_result> done = co_await run(std::move(request));
        static_cast<void>(done);
        co_await look();
    }

    task<void> add_column()
    {
        if (!settings_.may_migrate) refuse_to_make("the column 'embedding' of 'item_vector'");
        const std::string add =
            "ALTER TABLE item_vector ADD COLUMN IF NOT EXISTS embedding " + found_.schema + ".vector";
        const sql_statement add_embedding{"add_embedding", "", add.c_str()};
        sql_request request;
        request.step(lock_extension, sql_parameters{})
            .step(add_embedding, sql_parameters{})
            .step(add_expires, sql_parameters{})
            .step(keep_in_rows, sql_parameters{})
            .step(index_unfilled, sql_parameters{});
        const std::vector<sql_result> done = co_await run(std::move(request));
        static_cast<void>(done);
    }

    [[noreturn]] void refuse_to_make(const std::string& what) const
    {
        throw error{errc::store_refused, settings_.where.label(),
                    what + " is missing in schema '" + settings_.schema +
                        "' and may not be made: set it up (`prepare`) with the same `vectors`"};
    }

    task<bool> is_unfilled()
    {
        sql_parameters sizes;
        add_sizes(sizes);
        const sql_result rows = co_await one(find_unfilled, std::move(sizes));
        co_return rows.boolean(0, 0);
    }

    task<void> fill_rows(const embedding_statements& statements, const sql_result& rows)
    {
        sql_request request;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            sql_parameters of_row;
            of_row.text(rows.text(row, 0)).texts(rows.texts(row, 1)).text(rows.text(row, 2));
            of_row.bytes(rows.text(row, 3)).floats(rows.text(row, 3));
            request.step(statements.fill(), std::move(of_row));
        }
        const std::vector<sql_result> done = co_await run(std::move(request));
        static_cast<void>(done);
    }

    task<void> make_index(const embedding_index& index)
    {
        if (!settings_.may_migrate) refuse_to_make("the index of the vectors of the model '" + index.model + "'");
        const std::vector<std::string> texts = index_definitions(index, found_.schema);
        std::list<sql_statement> parts;
        sql_request request;
        request.step(lift_time_limit, sql_parameters{}).step(lock_extension, sql_parameters{});
        for (const std::string& text : texts) {
            parts.push_back({"make_index", "", text.c_str()});
            request.step(parts.back(), sql_parameters{});
        }
        const std::vector<sql_result> done =
            co_await run_alone(connection_, settings_, std::move(request), index_time_max);
        static_cast<void>(done);
    }

    pg_connection& connection_;
    const pg_settings& settings_;
    found_extension found_;
};

}  // namespace

task<bool> open_embeddings(pg_connection& connection, const pg_settings& settings)
{
    if (!settings.uses_pgvector) co_return false;
    embedding_session session{connection, settings};
    std::optional<error> why;
    bool has_unfilled = false;
    try {
        has_unfilled = co_await session.open();
    } catch (const error& e) {
        why = e;
    }
    if (!why) co_return has_unfilled;
    const bool is_asked_for = settings.creates_pgvector || settings.vector_index;
    if (is_asked_for || why->code() == errc::cancelled || !connection.is_usable()) throw *why;
    co_return false;
}

task<void> fill_behind(const pg_settings& settings)
{
    std::optional<error> why;
    try {
        const std::unique_ptr<pg_connection> connection = co_await open_session(settings);
        embedding_session session{*connection, settings};
        co_await session.fill(settings.embeddings->statements());
    } catch (const error& e) {
        why = e;
    } catch (const boost::system::system_error&) {
        co_return;  // no descriptor left, for instance
    }
    if (why && why->code() == errc::cancelled) throw *why;
}

}  // namespace weft::postgres_detail
