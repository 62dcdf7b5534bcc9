#include "fleet_checks.hpp"
#include "fleet_clients.hpp"
#include "fleet_trouble.hpp"

#include "store/chaos/chain_checks.hpp"
#include "store/chaos/chaos_trouble.hpp"
#include "tool/own_directory.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>

#include <atomic>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

namespace fleet_chaos {

namespace {

using namespace std::chrono_literals;

std::unique_ptr<weft::postgres_store> open_store(const weft_tests::postgres_server& server)
{
    weft::postgres_options options{server.connection()};
    options.schema = schema;
    options.connections = 1;
    options.request_timeout = 5s;
    return weft::run_blocking(weft::postgres_store::open(std::move(options)));
}

/** Calls, and says what went wrong: while the database is away, most does. */
template <class Function>
void in_spite_of_trouble(Function call)
{
    try {
        call();
    } catch (const std::runtime_error& e) {
        std::cout << "  trouble with trouble: " << e.what() << '\n';
    }
}

/** Faults for so long, and afterwards only what has ended is begun anew. In the main OS thread: processes end with the
 *  one that has begun them. */
void make_faults(const std::atomic<bool>& is_done, const fleet_course& course, fleet_trouble& trouble,
                 std::atomic<bool>& is_calm)
{
    const auto begin = weft::real_clock().now();
    weft_chaos::wait(1s);
    // Each kind once, also on a machine that is too busy for it.
    while (!is_done && (weft::real_clock().now() < begin + course.trouble || !trouble.has_made_each())) {
        in_spite_of_trouble([&] { trouble.make(); });
        weft_chaos::wait(100ms);
        in_spite_of_trouble([&] { trouble.mend(); });
    }
    is_calm = true;
    while (!is_done) {
        in_spite_of_trouble([&] { trouble.calm(); });
        weft_chaos::wait(200ms);
    }
}

}  // namespace

std::vector<std::string> make_trouble(const fleet_course& course)
{
    const weft_tests::own_directory directory{"fleet-chaos"};
    const std::string ledger = (directory.path() / "ledger").string();
    const fleet_site site;  // the ledger is not on its disk, which will be full
    weft_tests::postgres_server server{site.database()};
    const std::unique_ptr<weft::postgres_store> store = open_store(server);
    fleet_trouble trouble{course, site, server, ledger};
    std::atomic<bool> is_calm{false};
    fleet_clients clients{course, *store, trouble.server_ports(), ledger, is_calm};
    std::atomic<bool> is_done{false};
    std::string ended_by;
    std::jthread serving{[&] {
        try {
            weft::run_blocking(weft::with_deadline(clients.run(), course.patience));
        } catch (const weft::error& e) {
            ended_by = e.what();
        }
        is_done = true;
    }};
    make_faults(is_done, course, trouble, is_calm);
    serving.join();
    std::vector<std::string> wrong = std::move(clients.wrong());
    if (!ended_by.empty()) wrong.push_back("it came to no end in time: " + ended_by);
    const std::string figures = check_fleet(server, *store, clients.threads(), ledger, wrong);
    std::cout << "seed " << course.seed << ": " << trouble.text() << "\n  " << clients.text() << "\n  " << figures
              << '\n';
    return wrong;
}

std::vector<std::string> find_missing_fence(const fleet_course& course)
{
    const weft_tests::own_directory directory{"fleet-chaos"};
    const std::string ledger = (directory.path() / "ledger").string();
    const fleet_site site;  // the ledger is not on its disk, which will be full
    weft_tests::postgres_server server{site.database()};
    const std::unique_ptr<weft::postgres_store> store = open_store(server);
    fleet_trouble trouble{course, site, server, ledger};
    weft::random_source random{course.seed};
    weft::id_source ids{weft::real_clock(), random};
    const auto begin = weft::real_clock().now();
    std::vector<std::string> found;
    for (int entered = 0; found.empty() && weft::real_clock().now() < begin + course.patience;) {
        for (std::size_t i = 0; i < course.crowd / 2; ++i) {
            weft::new_run run{weft::thread_key{"u" + std::to_string(entered++)}, ids.next<weft::run_id>()};
            run.graph_named("speaking").with_attempts_max(1'000);
            static_cast<void>(weft::run_blocking(store->enqueue(std::move(run))));
        }
        trouble.stop_worker_until_overtaken();
        weft_chaos::wait(500ms);
        weft_chaos::check_writers(server, schema, found);
    }
    return found;
}

}  // namespace fleet_chaos
