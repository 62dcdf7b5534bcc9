#include "postgres_server.hpp"

#ifdef WEFT_HAS_POSTGRES

#include <libpq-fe.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

namespace weft_tests {

namespace {

namespace fs = std::filesystem;

constexpr int ready_tries_max = 3'000;  // of 10 ms

/** No time is measured with it: the server is another process, and there is nothing to wait on. */
void wait_briefly() { static_cast<void>(::poll(nullptr, 0, 10)); }

struct unprivileged_user {
    uid_t user = ::getuid();
    gid_t group = ::getgid();
};

/** Who runs the server: PostgreSQL refuses to be root. */
unprivileged_user server_user()
{
    unprivileged_user chosen;
    if (chosen.user != 0) return chosen;
    for (const char* name : {"postgres", "nobody"}) {
        if (const passwd* found = ::getpwnam(name)) {
            chosen.user = found->pw_uid;
            chosen.group = found->pw_gid;
            return chosen;
        }
    }
    throw std::runtime_error{"there is no unprivileged user to run PostgreSQL"};
}

unsigned short free_port()
{
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const bool is_bound = ::bind(listener, reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
                          ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    ::close(listener);
    if (!is_bound) throw std::runtime_error{"no free port"};
    return ntohs(address.sin_port);
}

/** Starts a program as the unprivileged user; its output goes to a file, and it dies with this process. */
pid_t launch(const std::vector<std::string>& words, const fs::path& output)
{
    const unprivileged_user user = server_user();
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error{"fork failed"};
    if (child > 0) return child;
    const int log = ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(::open("/dev/null", O_RDONLY), 0);
    ::dup2(log, 1);
    ::dup2(log, 2);
    if (::getuid() == 0) {
        if (::fchown(log, user.user, user.group) != 0 || ::setgroups(0, nullptr) != 0 ||
            ::setgid(user.group) != 0 || ::setuid(user.user) != 0)
            ::_exit(126);
    }
    ::prctl(PR_SET_PDEATHSIG, SIGQUIT);
    if (::getppid() != parent) ::_exit(126);
    ::setenv("LC_ALL", "C", 1);
    if (::chdir("/") == 0) ::execv(arguments.front(), arguments.data());
    ::_exit(127);
}

int wait_for_exit(pid_t process)
{
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

/** All processes below one, by the system's list. */
std::vector<pid_t> children_of(pid_t parent)
{
    std::vector<pid_t> found;
    for (const auto& entry : fs::directory_iterator{"/proc"}) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        std::ifstream status{entry.path() / "stat"};
        std::string text;
        std::getline(status, text);
        const std::size_t end = text.rfind(')');
        if (end == std::string::npos) continue;
        std::istringstream rest{text.substr(end + 1)};
        char state = 0;
        pid_t above = 0;
        rest >> state >> above;
        if (above == parent) found.push_back(std::stoi(name));
    }
    return found;
}

}  // namespace

std::optional<fs::path> postgres_server::programs()
{
    std::vector<fs::path> found;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator{"/usr/lib/postgresql", code})
        if (fs::exists(entry.path() / "bin" / "initdb")) found.push_back(entry.path() / "bin");
    if (found.empty()) return std::nullopt;
    return *std::max_element(found.begin(), found.end());
}

postgres_server::postgres_server(options wanted) : options_{std::move(wanted)}
{
    if (!programs()) throw std::runtime_error{"PostgreSQL is not installed"};
    std::string pattern = (fs::temp_directory_path() / "weft-postgres-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) throw std::runtime_error{"no temporary folder " + pattern};
    folder_ = pattern;
    const unprivileged_user user = server_user();
    if (::getuid() == 0 && ::chown(folder_.c_str(), user.user, user.group) != 0)
        throw std::runtime_error{"the temporary folder cannot be given away"};
    try {
        make_cluster();
        start();
    } catch (...) {
        if (process_ > 0) stop_immediately();
        fs::remove_all(folder_);
        throw;
    }
}

postgres_server::~postgres_server()
{
    if (process_ > 0) {
        thaw();
        stop_immediately();
    }
    std::error_code code;
    fs::remove_all(folder_, code);
}

void postgres_server::make_cluster()
{
    const fs::path log = folder_ / "initdb.log";
    const pid_t initdb =
        launch({*programs() / "initdb", "--pgdata", folder_ / "data", "--username", "weft", "--auth", "trust",
                "--encoding", "UTF8", "--locale", "C", "--no-sync", "--no-instructions", "--wal-segsize", "4"},
               log);
    if (wait_for_exit(initdb) != 0) {
        std::ifstream words{log};
        throw std::runtime_error{"initdb failed: " + std::string{std::istreambuf_iterator<char>{words}, {}}};
    }
    // There and not at the start, so that ALTER SYSTEM may change it.
    std::ofstream{folder_ / "data" / "postgresql.conf", std::ios::app} << "autovacuum_naptime = 5s\n";
    if (options_.trusted.empty()) return;
    std::ofstream{folder_ / "data" / "pg_hba.conf", std::ios::app}
        << "host all all " << options_.trusted << " trust\n";
}

void postgres_server::start()
{
    port_ = port_ != 0 ? port_ : free_port();
    fs::remove(folder_ / "data" / "postmaster.pid");
    process_ = launch({*programs() / "postgres", "-D", folder_ / "data", "-p", std::to_string(port_), "-c",
                       options_.trusted.empty() ? "listen_addresses=127.0.0.1" : "listen_addresses=*", "-c",
                       "unix_socket_directories=", "-c",
                       options_.is_synced ? "fsync=on" : "fsync=off", "-c", "shared_buffers=32MB", "-c",
                       "max_connections=60", "-c", "restart_after_crash=on", "-c", "log_statement=none"},
                      folder_ / "server.log");
    wait_until_ready();
}

bool postgres_server::start_if_ended()
{
    if (process_ > 0 && ::waitpid(process_, nullptr, WNOHANG) != process_) return false;
    start();
    return true;
}

void postgres_server::wait_until_ready()
{
    for (int i = 0; i < ready_tries_max; ++i) {
        int status = 0;
        if (::waitpid(process_, &status, WNOHANG) == process_) {
            process_ = -1;
            throw std::runtime_error{"PostgreSQL did not start: " + log_end()};
        }
        if (PQping(connection().c_str()) == PQPING_OK) return;
        wait_briefly();
    }
    throw std::runtime_error{"PostgreSQL does not get ready: " + log_end()};
}

std::string postgres_server::connection() const
{
    return "host=127.0.0.1 user=weft dbname=postgres port=" + std::to_string(port_);
}

std::string postgres_server::query(const std::string& statement, const std::string& database) const
{
    const std::string where = connection() + " dbname=" + database;
    const std::unique_ptr<PGconn, decltype(&PQfinish)> connection{PQconnectdb(where.c_str()), &PQfinish};
    const std::unique_ptr<PGresult, decltype(&PQclear)> result{PQexec(connection.get(), statement.c_str()), &PQclear};
    const ExecStatusType status = PQresultStatus(result.get());
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
        throw std::runtime_error{statement + ": " + PQerrorMessage(connection.get())};
    return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
}

int postgres_server::end_connections() const
{
    return std::stoi(query("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                           " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"));
}

void postgres_server::stop_immediately()
{
    ::kill(process_, SIGQUIT);
    wait_for_end();
}

void postgres_server::wait_for_end()
{
    const std::vector<pid_t> children = children_of(process_);
    wait_for_exit(process_);
    process_ = -1;
    // Those that have not noticed yet would keep the shared memory and refuse a new server.
    for (int i = 0; i < ready_tries_max; ++i) {
        const auto is_alive = [](pid_t child) { return ::kill(child, 0) == 0; };
        if (std::none_of(children.begin(), children.end(), is_alive)) return;
        wait_briefly();
    }
}

void postgres_server::signal_all(int signal) const
{
    ::kill(process_, signal);
    for (const pid_t child : children_of(process_)) ::kill(child, signal);
}

void postgres_server::freeze() const { signal_all(SIGSTOP); }

void postgres_server::thaw() const { signal_all(SIGCONT); }

std::string postgres_server::log_end() const
{
    std::ifstream words{folder_ / "server.log"};
    std::string text{std::istreambuf_iterator<char>{words}, {}};
    constexpr std::size_t shown = 2'000;
    return text.size() > shown ? text.substr(text.size() - shown) : text;
}

}  // namespace weft_tests

#endif
