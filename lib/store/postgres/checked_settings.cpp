#include "checked_settings.hpp"

#include "store/postgres/wire/schema.hpp"
#include "store/record/limit_checks.hpp"

#include <weft/base/error.hpp>

#include <string>

namespace weft::postgres_detail {

namespace {

// More connections than cores of the server only make it slower; PostgreSQL allows 100 of all programs by default.
constexpr std::size_t connections_max = 64;

embedding_index checked(const postgres_vector_index& index, bool uses_pgvector)
{
    if (!uses_pgvector)
        throw error{errc::invalid_configuration, "vectors of a PostgreSQL store",
                    "`index` needs pgvector, and `pgvector` is `none`: leave one of them out"};
    check_name_limit(index.model, "model of a vector index");
    if (index.dimensions < 1 || index.dimensions > postgres_vector_index::dimensions_max)
        throw error{errc::invalid_configuration, "vector index of the model '" + index.model + "'",
                    "pgvector's index takes 1 to " + std::to_string(postgres_vector_index::dimensions_max) +
                        " dimensions, and these are " + std::to_string(index.dimensions)};
    if (index.candidates < 1 || index.candidates > postgres_vector_index::candidates_max)
        throw error{errc::invalid_configuration, "vector index of the model '" + index.model + "'",
                    "a search looks at 1 to " + std::to_string(postgres_vector_index::candidates_max) +
                        " candidates, and these are " + std::to_string(index.candidates)};
    return {index.model, index.dimensions, index.candidates};
}

}  // namespace

pg_settings checked(const postgres_options& options)
{
    pg_settings settings{connection_string{options.connection}};
    if (!is_schema_name(options.schema))
        throw error{errc::invalid_configuration, "schema '" + options.schema + "'",
                    "name it with a lower-case letter or '_', then up to 40 of those and digits"};
    if (options.connections < 1 || options.connections > connections_max)
        throw error{errc::invalid_configuration, "connections", "a store has 1 to 64 of them"};
    if (options.request_timeout <= std::chrono::milliseconds{0} ||
        options.connect_timeout <= std::chrono::milliseconds{0})
        throw error{errc::invalid_configuration, "timeouts of a PostgreSQL store", "they are longer than nothing"};
    settings.schema = options.schema;
    settings.connections = options.connections;
    settings.waiting_max = options.waiting_max;
    settings.request_timeout = options.request_timeout;
    settings.connect_timeout = options.connect_timeout;
    settings.away_timeout = options.away_timeout;
    settings.may_migrate = options.may_migrate;
    if (!options.tenant_role.empty() && !is_schema_name(options.tenant_role))
        throw error{errc::invalid_configuration, "role '" + options.tenant_role + "'",
                    "name it with a lower-case letter or '_', then up to 40 of those and digits"};
    settings.tenant_role = options.tenant_role;
    settings.uses_pgvector = options.vectors.pgvector != pgvector_use::none;
    settings.creates_pgvector = options.vectors.pgvector == pgvector_use::create;
    if (options.vectors.index) settings.vector_index = checked(*options.vectors.index, settings.uses_pgvector);
    return settings;
}

}  // namespace weft::postgres_detail
