#pragma once

/** Runs that survive their process: durable engines, functions and services, and stores for them.
 *
 *  Beside <weft/weft.hpp>. Links with `weft::core`, and with `weft::stores_sqlite` for the store in a file. The stores
 *  of servers, <weft/store/postgres_store.hpp> and <weft/store/redis_client.hpp>, have headers of their own.
 *  docs/DURABLE_RUNS.md, docs/STORES.md. */

#include <weft/engine/durable/graceful_shutdown.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/engine/durable_function.hpp>
#include <weft/engine/durable_service.hpp>
#include <weft/store/memory_items.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/store/sqlite_store.hpp>
