#include <weft/store/sqlite/sqlite_migration.hpp>

#include "sqlite_connection.hpp"
#include "sqlite_schema.hpp"

#include <weft/async/on_pool.hpp>

#include <boost/asio/thread_pool.hpp>

#include <utility>

namespace weft {

task<migration_plan> plan_migration(sqlite_options options)
{
    boost::asio::thread_pool pool{1};
    const auto look = [file = std::move(options.file)] {
        sqlite_detail::connection db{file, sqlite_detail::connection_use::read};
        return sqlite_detail::plan_of(db);
    };
    co_return co_await on_pool(pool, look);
}

}  // namespace weft
