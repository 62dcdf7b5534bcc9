#include <weft/store/postgres_store.hpp>

#include "claim_watermark.hpp"
#include "pg_core.hpp"
#include "schema.hpp"

#include <weft/base/error.hpp>

namespace weft {

namespace postgres_detail {

namespace {

constexpr std::size_t connections_max = 64;

pg_settings checked(const postgres_options& options)
{
    pg_settings settings{connection_string{options.connection()}};
    if (!is_schema_name(options.schema()))
        throw error{errc::invalid_configuration, "schema '" + options.schema() + "'",
                    "name it with a lower-case letter or '_', then up to 40 of those and digits"};
    if (options.connections() < 1 || options.connections() > connections_max)
        throw error{errc::invalid_configuration, "connections", "a store has 1 to 64 of them"};
    if (options.request_timeout() <= std::chrono::milliseconds{0} ||
        options.connect_timeout() <= std::chrono::milliseconds{0})
        throw error{errc::invalid_configuration, "timeouts of a PostgreSQL store", "they are longer than nothing"};
    settings.schema = options.schema();
    settings.connections = options.connections();
    settings.waiting_max = options.waiting_max();
    settings.request_timeout = options.request_timeout();
    settings.connect_timeout = options.connect_timeout();
    settings.may_migrate = options.may_migrate();
    return settings;
}

}  // namespace

}  // namespace postgres_detail

postgres_store::postgres_store(std::unique_ptr<postgres_detail::pg_core> core)
    : core_{std::move(core)}, watermark_{std::make_unique<postgres_detail::claim_watermark>()}
{
}

postgres_store::~postgres_store() = default;

task<std::unique_ptr<postgres_store>> postgres_store::open(postgres_options options)
{
    postgres_detail::pg_settings settings = postgres_detail::checked(options);
    std::unique_ptr<postgres_detail::pg_core> core = co_await postgres_detail::pg_core::open(std::move(settings));
    std::unique_ptr<postgres_store> opened{new postgres_store{std::move(core)}};
    co_return opened;
}

task<void> postgres_store::prepare(postgres_options options)
{
    postgres_detail::pg_settings settings = postgres_detail::checked(options);
    settings.may_migrate = true;
    const std::unique_ptr<postgres_detail::pg_core> core =
        co_await postgres_detail::pg_core::open(std::move(settings));
}

const hash_key& postgres_store::key() const noexcept { return core_->key(); }

}  // namespace weft
