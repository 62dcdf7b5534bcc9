#pragma once

#include <weft/async/task.hpp>
#include <weft/base/environment.hpp>
#include <weft/store/checkpoint_store.hpp>
#include <weft/store/item_store.hpp>
#include <weft/store/record/migration_plan.hpp>
#include <weft/store/service_store.hpp>

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace weft_cli {

/** What the command line says of where runs are kept. */
struct store_args {
    std::string store = {};   ///< Of --store; empty: as the environment says.
    std::string tenant = {};
    std::string keys = {};    ///< Of --keys; empty: as the environment says.
    std::string tenant_role = {};
};

/** Gives a command the options --store, --tenant and --keys. `args` outlives it. */
void add_store_options(CLI::App& command, store_args& args);

/** Gives a command the option --tenant-role. `args` outlives it. */
CLI::Option* add_tenant_role_option(CLI::App& command, store_args& args);

/** Where runs are kept. */
struct store_place {
    enum class kind : std::uint8_t {
        sqlite,
        postgres,
        memory,  ///< Of the process: for runs that need not outlive it.
    };

    /** By --store, else WEFT_STORE, else the file weft.db in the current folder. Keys by --keys, else WEFT_STORE_KEYS.
     *  @par Errors   `usage_error`: it is neither a file nor an address of PostgreSQL. */
    [[nodiscard]] static store_place of(const store_args& args, const weft::environment_lookup& environment);

    kind what = kind::sqlite;
    std::string where = "weft.db";   ///< A path, or a connection string with its password.
    std::string tenant = {};
    std::string keys = {};           ///< The file with the keys of a sealed store; empty: it is not sealed.
    std::string tenant_role = {};    ///< The role of PostgreSQL for what tenants ask; empty: the login does it.
    bool was_named = false;          ///< By the command line, so that further commands have to name it too.
    bool keys_were_named = false;

    /** For people and messages: never with a password. */
    [[nodiscard]] std::string shown() const;
    /** What a further command needs to find the same thread: ` --store 'runs.db' --tenant acme`, or nothing. */
    [[nodiscard]] std::string option() const;
};

/** What a command does to a store. */
enum class store_use : std::uint8_t {
    look,    ///< Read; a file may be in use by another process.
    change,  ///< Write what is there.
    make,    ///< Write, and set it up if it is not there.
};

/** How processes of the program show that they live: with a short lifetime where others wait for it to run out. */
struct worker_times {
    std::chrono::milliseconds lifetime;
    std::chrono::milliseconds heartbeat;
};
[[nodiscard]] worker_times times_for(const store_place& place) noexcept;

/** Opens a store.
 *  @par Errors   `usage_error`: there is no such file, or this weft was built without what it needs. Those of
 *                `sqlite_store::open`, `postgres_store::open` and `sealing_keys::from_file`. */
[[nodiscard]] weft::task<std::unique_ptr<weft::checkpoint_store>> open_store(store_place place, store_use use);

/** A store of runs, and the items that it has beside them. Both are one object, or share one. */
struct opened_store {
    std::shared_ptr<weft::checkpoint_store> runs = {};
    std::shared_ptr<weft::item_store> items = {};
    weft::service_store* service = nullptr;  ///< What a server keeps beside runs; part of `runs`.
};
/** The same as `open_store`, with the items. */
[[nodiscard]] weft::task<opened_store> open_whole_store(store_place place, store_use use);

/** What `prepare_store` would do. Changes nothing. @par Errors  As `open_store`, with `store_use::look`. */
[[nodiscard]] weft::task<weft::migration_plan> plan_store(store_place place);
/** Brings the tables to the version that this program knows; a database that has none gets them.
 *  @par Errors   As `open_store`; `usage_error` if there is no such file. */
[[nodiscard]] weft::task<void> prepare_store(store_place place);

using place_work = std::function<weft::task<int>(store_place place)>;

/** Finds the store that the arguments name, does the work without opening it, and tells on standard error what goes
 *  wrong. @return   What the program ends with. */
[[nodiscard]] int run_on_place(std::string_view command, const store_args& args, place_work work);

using store_work = std::function<weft::task<int>(weft::checkpoint_store& store, const store_place& place)>;

/** Opens the store that the arguments name, does the work on it, and tells on standard error what goes wrong.
 *  @return   What the program ends with. */
[[nodiscard]] int run_on_store(std::string_view command, const store_args& args, store_use use, store_work work);

using service_work = std::function<weft::task<int>(weft::service_store& service, const store_place& place)>;

/** The same for what a server keeps beside runs. */
[[nodiscard]] int run_on_service(std::string_view command, const store_args& args, store_use use, service_work work);

using whole_work = std::function<weft::task<int>(const opened_store& opened, const store_place& place)>;

/** The same for both. */
[[nodiscard]] int run_on_whole_store(std::string_view command, const store_args& args, store_use use,
                                     whole_work work);

}  // namespace weft_cli
