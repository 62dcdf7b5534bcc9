#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace weft_tests {

/** A PostgreSQL server of the test's own: in a temporary folder, on a free port of the loopback, run by an unprivileged
 *  user. It ends with this object, and with the process if that dies.
 *
 *  @par Errors   `std::runtime_error`: what does not work, with the end of the server's log.
 */
class postgres_server {
public:
    struct options {
        bool is_synced = false;  ///< fsync: for tests that pull the plug. The operating system stays alive here.
        std::string trusted;     ///< Addresses beside the loopback from which clients may come, `198.18.0.0/15`.
    };

    /** Where Debian's packages have put `initdb` and `postgres`; nothing if they are not installed. */
    [[nodiscard]] static std::optional<std::filesystem::path> programs();

    explicit postgres_server(options wanted);
    postgres_server() : postgres_server{options{}} {}
    ~postgres_server();
    postgres_server(const postgres_server&) = delete;
    postgres_server& operator=(const postgres_server&) = delete;

    [[nodiscard]] unsigned short port() const noexcept { return port_; }
    /** For libpq. */
    [[nodiscard]] std::string connection() const;

    /** Runs a statement as the superuser. @return  The first column of the first row; empty if there is none. */
    std::string query(const std::string& statement, const std::string& database = "postgres") const;

    /** As if its machine had crashed: nothing is cleaned up. */
    void stop_immediately();
    void start();
    /** Starts it if it has ended by itself, as it does on a full disk. @return  Whether it had. */
    bool start_if_ended();
    void restart_immediately()
    {
        stop_immediately();
        start();
    }
    /** Stops all of its processes where they are, until `thaw`. */
    void freeze() const;
    void thaw() const;
    /** Ends all connections but this one's. @return  How many. */
    int end_connections() const;

private:
    void make_cluster();
    void signal_all(int signal) const;
    void wait_until_ready();
    void wait_for_end();
    [[nodiscard]] std::string log_end() const;

    options options_;
    std::filesystem::path folder_;
    unsigned short port_ = 0;
    pid_t process_ = -1;
};

}  // namespace weft_tests
