#include "commands.hpp"

#include "graph/run_input.hpp"
#include "serve/remote_keys.hpp"
#include "store/store_place.hpp"
#include "store/store_problem.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/list_option.hpp"
#include "terminal/text_table.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/run_blocking.hpp>
#include <weft/base/environment.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/engine/trace/run_event_json.hpp>
#include <weft/serve/api_keys.hpp>
#include <weft/store/service/api_key_table.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace weft_cli {

namespace {

constexpr std::size_t id_digits = 12;  // of the hash: enough to tell keys apart
constexpr std::size_t keys_a_page = 1000;

struct keys_args {
    store_args store = {};
    std::string add = {};
    std::string revoke = {};
    std::vector<std::string> scopes = {};
    unsigned days = 0;
    std::string server = {};
    std::string api_key = {};
};

std::string scopes_text(const weft::api_key& of)
{
    std::string text;
    const boost::json::value metadata = weft::parse_json(of.metadata);
    const boost::json::value* const scopes = metadata.as_object().if_contains("scopes");
    if (!scopes || !scopes->is_array()) return "*";
    for (const boost::json::value& scope : scopes->get_array())
        if (scope.is_string()) text.append(text.empty() ? "" : ",").append(scope.get_string());
    return text;
}

weft::task<std::vector<weft::api_key>> all_keys(weft::api_key_table& table, std::string tenant)
{
    std::vector<weft::api_key> keys;
    for (std::string after;;) {
        weft::api_key_page page = co_await table.list(tenant, after, keys_a_page);
        for (weft::api_key& key : page.keys) keys.push_back(std::move(key));
        if (page.next.empty()) break;
        after = page.next;
    }
    co_return keys;
}

/** The one time that it can be read: on its own, for scripts. */
void show_new_key(const std::string& text)
{
    std::cerr << "weft keys: the key is shown this once, and kept as a digest only\n";
    std::cout << text << '\n';
}

void show_keys(const std::vector<key_row>& keys)
{
    std::vector<std::vector<std::string>> rows{{"ID", "NAME", "SCOPES", "MADE", "ENDS"}};
    for (const key_row& key : keys)
        rows.push_back({console::harmless_line(key.id), console::harmless_line(key.name),
                        console::harmless_line(key.scopes), console::harmless_line(key.made),
                        console::harmless_line(key.ends)});
    if (keys.empty()) std::cout << "No keys.\n";
    else std::cout << table_of(rows);
}

weft::task<int> add_key(weft::api_key_table& table, const store_place& place, const keys_args& args)
{
    const std::string text = weft::new_api_key();
    boost::json::array scopes;
    for (const std::string& scope : args.scopes) scopes.emplace_back(scope);
    if (scopes.empty()) scopes.emplace_back("*");
    weft::api_key made;
    made.hash = weft::hash_of_api_key(text);
    made.tenant = place.tenant;
    made.name = args.add;
    made.metadata = boost::json::serialize(boost::json::object{{"scopes", std::move(scopes)}});
    const weft::serial_loop& loop = co_await weft::this_task::loop();
    if (args.days > 0) made.expires = loop.clock().system_now() + std::chrono::hours{24 * args.days};
    (void)co_await table.add(std::move(made));
    show_new_key(text);
    co_return all_good;
}

weft::task<int> revoke_key(weft::api_key_table& table, const store_place& place, const keys_args& args)
{
    const std::vector<weft::api_key> keys = co_await all_keys(table, place.tenant);
    std::vector<std::string> meant;
    for (const weft::api_key& key : keys)
        if (key.hash.starts_with(args.revoke)) meant.push_back(key.hash);
    if (meant.size() != 1)
        throw usage_error{"--revoke " + args.revoke +
                          (meant.empty() ? ": there is no such key; weft keys lists them" : ": several keys begin so")};
    (void)co_await table.revoke(place.tenant, meant.front());
    co_return all_good;
}

weft::task<int> list_keys(weft::api_key_table& table, const store_place& place)
{
    const std::vector<weft::api_key> keys = co_await all_keys(table, place.tenant);
    std::vector<key_row> rows;
    for (const weft::api_key& key : keys)
        rows.push_back({key.hash.substr(0, id_digits), key.name, scopes_text(key), weft::to_utc_text(key.created),
                        key.expires ? weft::to_utc_text(*key.expires) : "never"});
    show_keys(rows);
    co_return all_good;
}

weft::task<int> work_on_keys(weft::service_store& service, const store_place& place, const keys_args& args)
{
    weft::api_key_table table{service.documents()};
    if (!args.add.empty()) co_return co_await add_key(table, place, args);
    if (!args.revoke.empty()) co_return co_await revoke_key(table, place, args);
    co_return co_await list_keys(table, place);
}

weft::task<int> work_on_remote_keys(const remote_keys& keys, const keys_args& args)
{
    if (!args.add.empty()) {
        const std::string made = co_await keys.add(args.add, args.scopes, args.days);
        show_new_key(made);
    } else if (!args.revoke.empty()) {
        co_await keys.revoke(args.revoke);
    } else {
        const std::vector<key_row> rows = co_await keys.list();
        show_keys(rows);
    }
    co_return all_good;
}

int ask_server(const keys_args& args)
{
    try {
        if (!args.store.store.empty() || !args.store.tenant.empty())
            throw usage_error{"--server: the server has its store, and its keys are of the tenant of --api-key: leave "
                              "--store and --tenant out"};
        if (args.api_key.empty())
            throw usage_error{"--server " + args.server + ": say --api-key, or set WEFT_API_KEY, to a key with the "
                              "scope keys:*; the first one is made on the store of the server"};
        const remote_keys keys{args.server, weft::secret_string{args.api_key}};
        return weft::run_blocking(work_on_remote_keys(keys, args));
    } catch (const usage_error& e) {
        return tell_wrong("keys", e);
    } catch (const weft::error& e) {
        return tell_wrong("keys", e);
    }
}

}  // namespace

void add_keys_command(CLI::App& app, int& exit_code)
{
    const auto args = std::make_shared<keys_args>();
    CLI::App& command = *app.add_subcommand("keys", "List, make and revoke the API keys of a server");
    CLI::Option* const add = command.add_option("--add", args->add, "Make a key under this name, and print it")
                                 ->type_name("NAME");
    command.add_option("--revoke", args->revoke, "End the key whose ID begins so")->type_name("ID")->excludes(add);
    add_comma_list(command, "--scope", args->scopes, "What the new key may do, such as threads:*; else everything")
        ->type_name("SCOPE")
        ->needs(add);
    command.add_option("--days", args->days, "The new key ends after so many days; else never")
        ->check(CLI::Range(1u, 36'500u))
        ->type_name("N")
        ->needs(add);
    command.add_option("--server", args->server, "Ask this server, which runs, in place of its store")
        ->type_name("URL");
    command.add_option("--api-key", args->api_key, "For --server: a key with the scope keys:*")
        ->type_name("KEY")
        ->envname("WEFT_API_KEY");
    add_store_options(command, args->store);
    command.footer(R"(Clients send a key as X-Api-Key, or as Authorization: Bearer. What is made with it belongs to the
tenant of the key (--tenant). A key that is revoked works for 5 seconds at most, and what it has open ends.

A file of SQLite has one process: while a server has it, ask the server (--server), with a key that may do so.

Scopes are RESOURCE:ACTION, and either may be *:
  threads      create, read, update, delete, search, create_run
  assistants   create, read, update, delete, search
  crons        create, read, update, delete, search
  store        put, get, delete, search, list_namespaces
  server       read
  keys         create, read, delete; not part of *: a key for everything makes no keys
  queue        read, update, delete: queue, workers, dead runs; not part of *

Examples:
  weft keys --add admin --scope '*,keys:*'
  weft keys --server http://localhost:8123 --add "web shop" --scope threads:*
  weft keys --add "nightly job" --tenant acme --scope threads:*,assistants:read
  weft keys --tenant acme
  weft keys --revoke 3f9a2c

Exit status: 0, or 2 if the store or server cannot be used.)");
    command.callback([args, &exit_code] {
        if (!args->server.empty()) {
            exit_code = ask_server(*args);
            return;
        }
        const store_use use = args->add.empty() && args->revoke.empty() ? store_use::look
                              : args->add.empty()                       ? store_use::change
                                                                        : store_use::make;
        const auto work = [args](weft::service_store& service, const store_place& place) {
            return work_on_keys(service, place, *args);
        };
        exit_code = run_on_service("keys", args->store, use, work);
    });
}

}  // namespace weft_cli
