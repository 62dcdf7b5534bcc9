#include "store_place.hpp"

#include "graph/run_input.hpp"
#include "store_problem.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/shell_word.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/store/memory_items.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/store/sealed/aes_gcm_cipher.hpp>
#include <weft/store/sealed/sealing_keys.hpp>
#include <weft/store/sealed_item_store.hpp>
#include <weft/store/sealed_store.hpp>
#ifdef WEFT_HAS_POSTGRES
#include <weft/store/postgres/postgres_migration.hpp>
#include <weft/store/postgres_store.hpp>
#endif
#ifdef WEFT_HAS_SQLITE
#include <weft/store/sqlite/sqlite_migration.hpp>
#include <weft/store/sqlite_store.hpp>
#endif

#include <filesystem>
#include <utility>

namespace weft_cli {

namespace {

bool is_postgres(std::string_view word)
{
    return word.starts_with("postgresql://") || word.starts_with("postgres://");
}

/** The value of each setting that may be a secret becomes `***`. */
std::string without_secret_settings(std::string text)
{
    for (std::size_t at = text.find("password="); at != text.npos; at = text.find("password=", at)) {
        at += std::string_view{"password="}.size();
        text.replace(at, text.find('&', at) - at, "***");
    }
    return text;
}

/** Everything from the first colon behind the scheme to the last @ may be a password, whatever it contains. */
std::string without_password(const std::string& address)
{
    const std::size_t user = address.find("://") + 3;
    const std::size_t at = address.rfind('@');
    const std::size_t colon = address.find(':', user);
    if (at == address.npos || colon == address.npos || colon > at) return without_secret_settings(address);
    return without_secret_settings(address.substr(0, colon) + ":***" + address.substr(at));
}

[[noreturn]] void refuse_missing_file(const std::string& file)
{
    throw usage_error{"there is no file " + file +
                      ": weft run FILE --thread NAME keeps runs there; --store or WEFT_STORE name another place"};
}

void check_file(const std::string& file, store_use use)
{
    std::error_code ignored;
    if (use != store_use::make && !std::filesystem::exists(file, ignored)) refuse_missing_file(file);
    if (std::filesystem::is_directory(file, ignored))
        throw usage_error{file + " is a folder: name a file in it, e.g. --store " + file + "/weft.db"};
}

#ifndef WEFT_HAS_SQLITE
[[noreturn]] void refuse_files(const std::string& file)
{
    throw usage_error{"this weft was built without SQLite and keeps nothing in files such as " + file +
                      ": name a PostgreSQL database with --store postgresql://…, or build it with SQLite's headers"};
}
#endif

weft::task<std::unique_ptr<weft::checkpoint_store>> open_file(std::string file, store_use use)
{
#ifdef WEFT_HAS_SQLITE
    check_file(file, use);
    weft::sqlite_options options{std::move(file)};
    if (use == store_use::look) options.access = weft::sqlite_access::read_only;
    std::unique_ptr<weft::checkpoint_store> opened = co_await weft::sqlite_store::open(std::move(options));
    co_return opened;
#else
    static_cast<void>(use);
    static_cast<void>(&check_file);
    refuse_files(file);
    co_return nullptr;
#endif
}

#ifdef WEFT_HAS_POSTGRES
weft::postgres_options options_of(const store_place& place)
{
    weft::postgres_options options{place.where};
    options.connections = 1;
    options.request_timeout = times_for(place).lifetime / 3;
    options.tenant_role = place.tenant_role;
    return options;
}
#else
[[noreturn]] void refuse_databases(const store_place& place)
{
    throw usage_error{"this weft was built without PostgreSQL and cannot open " + place.shown() +
                      ": name a file with --store, or build it with libpq"};
}
#endif

weft::task<std::unique_ptr<weft::checkpoint_store>> open_database(store_place place, store_use use)
{
#ifdef WEFT_HAS_POSTGRES
    weft::postgres_options options = options_of(place);
    // Clients of a server hear soon that its database is away.
    if (use == store_use::make) options.away_timeout = std::chrono::milliseconds{100};
    options.may_migrate = use == store_use::make;
    std::unique_ptr<weft::checkpoint_store> opened = co_await weft::postgres_store::open(std::move(options));
    co_return opened;
#else
    static_cast<void>(use);
    refuse_databases(place);
    co_return nullptr;
#endif
}

weft::task<std::unique_ptr<weft::checkpoint_store>> make_memory() { co_return std::make_unique<weft::memory_store>(); }

weft::task<std::unique_ptr<weft::checkpoint_store>> open_plainly(store_place place, store_use use)
{
    if (place.what == store_place::kind::memory) return make_memory();
    return place.what == store_place::kind::sqlite ? open_file(place.where, use) : open_database(std::move(place), use);
}

weft::task<std::unique_ptr<weft::checkpoint_store>> open_sealed(store_place place, store_use use)
{
    const std::shared_ptr<const weft::value_cipher> cipher =
        weft::make_aes_gcm_cipher(weft::sealing_keys::from_file(place.keys));
    std::shared_ptr<weft::checkpoint_store> inner = co_await open_plainly(std::move(place), use);
    std::unique_ptr<weft::checkpoint_store> sealed = std::make_unique<weft::sealed_store>(std::move(inner), cipher);
    co_return sealed;
}

/** Every store that keeps runs here keeps items too, but for that of memory, which has them beside it. */
opened_store whole(std::shared_ptr<weft::checkpoint_store> runs)
{
    opened_store opened;
    opened.items = std::dynamic_pointer_cast<weft::item_store>(runs);
    if (auto* const memory = dynamic_cast<weft::memory_store*>(runs.get())) {
        opened.items = std::make_shared<weft::memory_items>();
        opened.service = &memory->service();
    }
#ifdef WEFT_HAS_SQLITE
    if (auto* const file = dynamic_cast<weft::sqlite_store*>(runs.get())) opened.service = &file->service();
#endif
#ifdef WEFT_HAS_POSTGRES
    if (auto* const database = dynamic_cast<weft::postgres_store*>(runs.get())) opened.service = &database->service();
#endif
    opened.runs = std::move(runs);
    return opened;
}

weft::task<int> open_and_work(store_place place, store_use use, store_work work)
{
    const std::unique_ptr<weft::checkpoint_store> store = co_await open_store(place, use);
    const int exit_code = co_await work(*store, place);
    co_return exit_code;
}

}  // namespace

void add_store_options(CLI::App& command, store_args& args)
{
    command
        .add_option("--store", args.store,
                    "Where runs are kept: a file, or postgresql://USER@HOST/DB; else WEFT_STORE, or weft.db")
        ->type_name("FILE|URL")
        ->group("Kept runs");
    command.add_option("--tenant", args.tenant, "Whose threads, where several share a store")
        ->type_name("NAME")
        ->group("Kept runs");
    command.add_option("--keys", args.keys, "Keys of a sealed store; else WEFT_STORE_KEYS; see SEALED_STORE.md")
        ->type_name("FILE")
        ->group("Kept runs");
}

CLI::Option* add_tenant_role_option(CLI::App& command, store_args& args)
{
    return command
        .add_option("--tenant-role", args.tenant_role,
                    "PostgreSQL's role for requests of tenants: its policies show it rows of one tenant only")
        ->type_name("ROLE")
        ->group("Kept runs");
}

store_place store_place::of(const store_args& args, const weft::environment_lookup& environment)
{
    store_place place;
    place.tenant = args.tenant;
    place.tenant_role = args.tenant_role;
    place.was_named = !args.store.empty();
    place.keys_were_named = !args.keys.empty();
    place.keys = place.keys_were_named ? args.keys : environment("WEFT_STORE_KEYS").value_or("");
    std::string word = args.store;
    if (word.empty()) word = environment("WEFT_STORE").value_or("");
    if (!place.tenant_role.empty() && !is_postgres(word))
        throw usage_error{"--tenant-role " + place.tenant_role +
                          ": only PostgreSQL has roles; name a database with --store postgresql://USER@HOST/DATABASE"};
    if (word.empty()) return place;
    const std::string source = place.was_named ? "--store" : "WEFT_STORE";
    if (word == ":memory:" || word.starts_with("memory:"))
        throw usage_error{source + " " + word + ": nothing outlives the program there; leave out --thread for a run "
                                                "that is not kept"};
    if (is_postgres(word)) place.what = kind::postgres;
    else if (word.find("://") != word.npos)
        throw usage_error{source + " " + word.substr(0, word.find("://")) +
                          "://…: write a file, or postgresql://USER@HOST/DATABASE"};
    place.where = std::move(word);
    return place;
}

std::string store_place::shown() const
{
    if (what == kind::memory) return "memory, which ends with this program";
    return what == kind::sqlite ? where : without_password(where);
}

std::string store_place::option() const
{
    std::string text = was_named ? " --store " + shell_word(shown()) : "";
    if (keys_were_named) text += " --keys " + shell_word(keys);
    if (!tenant.empty()) text += " --tenant " + shell_word(tenant);
    return text;
}

worker_times times_for(const store_place& place) noexcept
{
    using namespace std::chrono_literals;
    // A file has one process: the one that opens it finds the one before gone, and waits for nothing.
    return place.what == store_place::kind::postgres ? worker_times{6s, 1500ms} : worker_times{60s, 15s};
}

weft::task<std::unique_ptr<weft::checkpoint_store>> open_store(store_place place, store_use use)
{
    return place.keys.empty() ? open_plainly(std::move(place), use) : open_sealed(std::move(place), use);
}

weft::task<weft::migration_plan> plan_store(store_place place)
{
    if (place.what == store_place::kind::sqlite) {
#ifdef WEFT_HAS_SQLITE
        check_file(place.where, store_use::look);
        weft::sqlite_options options{place.where};
        co_return co_await weft::plan_migration(std::move(options));
#else
        refuse_files(place.where);
#endif
    }
#ifdef WEFT_HAS_POSTGRES
    weft::postgres_options options = options_of(place);
    co_return co_await weft::plan_migration(std::move(options));
#else
    refuse_databases(place);
#endif
}

weft::task<void> prepare_store(store_place place)
{
    if (place.what == store_place::kind::sqlite) {
        // Opening it for writing does it.
        const auto opened = co_await open_file(place.where, store_use::change);
        co_return;
    }
#ifdef WEFT_HAS_POSTGRES
    weft::postgres_options options = options_of(place);
    co_await weft::postgres_store::prepare(std::move(options));
#else
    refuse_databases(place);
#endif
}

weft::task<opened_store> open_whole_store(store_place place, store_use use)
{
    std::shared_ptr<const weft::value_cipher> cipher;
    if (!place.keys.empty()) cipher = weft::make_aes_gcm_cipher(weft::sealing_keys::from_file(place.keys));
    std::shared_ptr<weft::checkpoint_store> runs = co_await open_plainly(std::move(place), use);
    opened_store opened = whole(std::move(runs));
    if (cipher) {
        opened.runs = std::make_shared<weft::sealed_store>(std::move(opened.runs), cipher);
        opened.items = std::make_shared<weft::sealed_item_store>(std::move(opened.items), cipher);
    }
    co_return opened;
}

namespace {

/** Does the work that is made for a place, and tells what goes wrong. */
template <class MakeTask>
int run_at_place(std::string_view command, const store_args& args, const MakeTask& make_task)
{
    try {
        const store_place place = store_place::of(args, weft::process_environment());
        return weft::run_blocking(make_task(place));
    } catch (const usage_error& e) {
        return tell_wrong(command, e);
    } catch (const weft::error& e) {
        return tell_wrong(command, e);
    }
}

weft::task<int> open_whole_and_work(store_place place, store_use use, whole_work work)
{
    const opened_store opened = co_await open_whole_store(place, use);
    co_return co_await work(opened, place);
}

}  // namespace

int run_on_place(std::string_view command, const store_args& args, place_work work)
{
    return run_at_place(command, args, [&](const store_place& place) { return work(place); });
}

int run_on_store(std::string_view command, const store_args& args, store_use use, store_work work)
{
    return run_at_place(command, args,
                        [&](const store_place& place) { return open_and_work(place, use, std::move(work)); });
}

int run_on_service(std::string_view command, const store_args& args, store_use use, service_work work)
{
    return run_on_whole_store(command, args, use, [work](const opened_store& opened, const store_place& place) {
        return work(*opened.service, place);
    });
}

int run_on_whole_store(std::string_view command, const store_args& args, store_use use, whole_work work)
{
    return run_at_place(command, args,
                        [&](const store_place& place) { return open_whole_and_work(place, use, std::move(work)); });
}

}  // namespace weft_cli
