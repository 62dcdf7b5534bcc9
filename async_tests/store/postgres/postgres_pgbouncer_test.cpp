#ifdef WEFT_HAS_POSTGRES

#include "store/postgres_fixture.hpp"
#include "store/raw_session.hpp"
#include "store/store_for_tenants.hpp"
#include "store/tenant_roles.hpp"
#include "tool/own_directory.hpp"

#include <weft/async/sleep.hpp>
#include <weft/store/postgres/postgres_migration.hpp>
#include <weft/testing/store_conformance.hpp>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>

#include <libpq-fe.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>
#include <vector>

namespace postgres_pgbouncer_test {

namespace data = boost::unit_test::data;
namespace ut = boost::unit_test;
namespace fs = std::filesystem;

using namespace weft_tests;

/** A PgBouncer of the test's own in front of the shared server. It ends with this object, and with the process. */
class pgbouncer {
public:
    static std::optional<fs::path> program()
    {
        for (const char* path : {"/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"})
            if (fs::exists(path) && fs::exists("/usr/bin/setpriv")) return path;
        return std::nullopt;
    }

    /** @param settings  Lines of its file, such as `pool_mode = session`. */
    explicit pgbouncer(const std::string& settings)
    {
        // Nothing reserves a port for a program that starts later: another one may take it first.
        for (int i = 0; i < 5 && !is_ready(); ++i) start(settings, 20'000 + (::getpid() * 7 + next()++) % 20'000);
        if (!is_ready()) throw std::runtime_error{"PgBouncer does not get ready: " + log()};
    }
    ~pgbouncer() { stop(); }
    pgbouncer(const pgbouncer&) = delete;
    pgbouncer& operator=(const pgbouncer&) = delete;

    [[nodiscard]] std::string connection() const
    {
        return "host=127.0.0.1 user=weft dbname=pooled port=" + std::to_string(port_);
    }

private:
    static int& next()
    {
        static int count = 0;
        return count;
    }

    void start(const std::string& settings, int port)
    {
        stop();
        port_ = port;
        fs::permissions(folder_.path(), fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
        const std::string file = (folder_.path() / "pgbouncer.ini").string();
        std::ofstream{file} << "[databases]\npooled = host=127.0.0.1 dbname=postgres user=weft port="
                            << shared_postgres_server().port() << "\n[pgbouncer]\nlisten_addr = 127.0.0.1\n"
                            << "unix_socket_dir =\nauth_type = any\nlisten_port = " << port << '\n' << settings << '\n';
        std::vector<std::string> words{"/usr/bin/setpriv", "--pdeathsig", "TERM"};
        const bool is_root = ::getuid() == 0;  // PgBouncer refuses to be
        if (is_root) words.insert(words.end(), {"--reuid", "nobody", "--regid", "nogroup", "--clear-groups"});
        words.insert(words.end(), {program()->string(), file});
        std::vector<char*> arguments;
        for (std::string& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        const std::string log_file = (folder_.path() / "log").string();
        process_ = ::fork();
        if (process_ == 0) {
            const int log = ::open(log_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
            if (::dup2(log, 1) >= 0 && ::dup2(log, 2) >= 0) ::execv(arguments.front(), arguments.data());
            ::_exit(127);
        }
        for (int i = 0; i < 1'000 && !is_ready() && ::waitpid(process_, nullptr, WNOHANG) == 0; ++i)
            static_cast<void>(::poll(nullptr, 0, 10));
    }

    void stop()
    {
        if (process_ <= 0) return;
        ::kill(process_, SIGINT);
        ::waitpid(process_, nullptr, 0);
        process_ = -1;
    }

    [[nodiscard]] bool is_ready() const
    {
        return process_ > 0 && ::kill(process_, 0) == 0 && PQping(connection().c_str()) == PQPING_OK;
    }

    [[nodiscard]] std::string log() const
    {
        std::ifstream words{folder_.path() / "log"};
        return {std::istreambuf_iterator<char>{words}, {}};
    }

    own_directory folder_{"pgbouncer-" + std::to_string(next()++)};
    pid_t process_ = -1;
    int port_ = 0;
};

boost::test_tools::assertion_result has_pgbouncer(ut::test_unit_id unit)
{
    const auto has_server = has_postgres(unit);
    if (!has_server) return has_server;
    return pgbouncer::program().has_value() ||
           say_skipped("PgBouncer is not installed: scripts/install-deps --services");
}

weft::postgres_options options_through(const pgbouncer& pooler)
{
    weft::postgres_options options = options_on(shared_postgres_server(), fresh_names{}.schema());
    options.connection = pooler.connection();
    return options;
}

class pooled_trial final : public weft::testing::store_under_test {
public:
    explicit pooled_trial(const weft::postgres_options& options)
        : first_{open_store(options)}, second_{open_store(options)}
    {
    }
    weft::checkpoint_store& store() override { return *first_; }
    weft::checkpoint_store& other() override { return *second_; }
    std::chrono::milliseconds lifetime() const override { return std::chrono::milliseconds{600}; }

private:
    std::unique_ptr<weft::postgres_store> first_;
    std::unique_ptr<weft::postgres_store> second_;
};

const pgbouncer& pooler_of_sessions()
{
    static const pgbouncer pooler{"pool_mode = session"};
    return pooler;
}

BOOST_AUTO_TEST_SUITE(postgres_pgbouncer_test, *ut::precondition(has_pgbouncer))

/** Some from each part of the suite: the statements are the same in all of it. */
std::vector<weft::testing::store_check> some_checks()
{
    constexpr std::size_t step = 12;
    std::vector<weft::testing::store_check> some;
    const auto all = weft::testing::store_checks();
    for (std::size_t i = 0; i < std::size(all); i += step) some.push_back(all[i]);
    return some;
}

BOOST_DATA_TEST_CASE(a_store_keeps_its_promises_behind_a_pooler_of_sessions, data::make(some_checks()), check)
{
    pooled_trial trial{options_through(pooler_of_sessions())};
    BOOST_TEST_CONTEXT(check.name) weft::run_blocking(check.run(trial));
}

weft::task<void> wait_for_thread(weft::checkpoint_store& hears, weft::checkpoint_store& tells, weft::run_id run)
{
    std::atomic<bool> is_heard{false};
    const auto heard =
        hears.news()->subscribe([&](const weft::store_notice&) { is_heard = is_heard || hears.news()->is_complete(); });
    // Its connection listens when what it sends to itself has come back.
    for (int i = 0; i < 2'000 && !hears.news()->is_complete(); ++i)
        co_await weft::sleep_for(std::chrono::milliseconds{5});
    BOOST_TEST(hears.news()->is_complete());
    is_heard = false;
    weft::new_run made{weft::thread_key{"t"}, run};
    static_cast<void>(co_await tells.enqueue(std::move(made)));
    for (int i = 0; i < 2'000 && !is_heard; ++i) co_await weft::sleep_for(std::chrono::milliseconds{5});
    BOOST_TEST(is_heard);
}

BOOST_AUTO_TEST_CASE(news_pass_a_pooler_of_sessions)
{
    const weft::postgres_options options = options_through(pooler_of_sessions());
    const auto first = open_store(options);
    const auto second = open_store(options);
    weft::run_blocking(wait_for_thread(*first, *second, fresh_names{}.run()));
}

BOOST_AUTO_TEST_CASE(the_role_for_tenants_stays_with_its_session)
{
    make_tenant_roles();
    weft::postgres_options options = options_through(pooler_of_sessions());
    options.tenant_role = "tenant_rows";
    {
        const auto guarded = open_store(options);
        weft::thread_directory& threads = guarded->service().threads();
        const weft::thread_key thread{"t", "acme"};
        BOOST_TEST(weft::run_blocking(for_tenant(threads.create(thread, "{}"), std::string{"acme"})));
        BOOST_TEST(weft::run_blocking(for_tenant(threads.find(thread), std::string{"acme"})).has_value());
        BOOST_TEST(!weft::run_blocking(for_tenant(threads.find(thread), std::string{"other"})));
    }
    // The next client gets the sessions as they were before, and sees all rows.
    options.tenant_role.clear();
    const auto after = open_store(options);
    weft::thread_query all;
    BOOST_TEST(weft::run_blocking(after->service().threads().count(std::move(all))) == 1u);
}

/** Another client of a pooler, which takes sessions and gives them back. */
class busy_client {
public:
    explicit busy_client(const pgbouncer& pooler) : thread_{[this, where = pooler.connection()] { work(where); }} {}
    ~busy_client()
    {
        stops_ = true;
        thread_.join();
    }

private:
    void work(const std::string& where)
    {
        try {
            raw_session session{where};
            while (!stops_) session.query("SELECT 1");
        } catch (const std::exception&) {
            // Only its traffic counts.
        }
    }
    std::atomic<bool> stops_{false};
    std::thread thread_;
};

void check_that_it_is_refused(const pgbouncer& pooler)
{
    const auto says_what_to_do = [](const weft::error& e) {
        return e.code() == weft::errc::store_refused &&
               e.detail().find("pool_mode = session") != std::string::npos;
    };
    BOOST_CHECK_EXCEPTION(open_store(options_through(pooler)).reset(), weft::error, says_what_to_do);
    weft::postgres_options options = options_through(pooler);
    BOOST_CHECK_EXCEPTION(static_cast<void>(weft::run_blocking(weft::plan_migration(std::move(options)))), weft::error,
                          says_what_to_do);
}

constexpr const char* shared_modes[] = {
    "pool_mode = transaction",
    "pool_mode = transaction\nserver_round_robin = 1",
    "pool_mode = transaction\nserver_round_robin = 1\nmin_pool_size = 2",
    "pool_mode = transaction\ndefault_pool_size = 1",
    "pool_mode = statement",
};

BOOST_DATA_TEST_CASE(a_pooler_of_transactions_is_refused_idle_and_busy, data::make(shared_modes), mode)
{
    const pgbouncer pooler{mode};
    check_that_it_is_refused(pooler);
    const busy_client first{pooler};
    const busy_client second{pooler};
    check_that_it_is_refused(pooler);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace postgres_pgbouncer_test

#endif
