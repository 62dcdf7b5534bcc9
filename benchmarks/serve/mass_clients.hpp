#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace weft_bench {

/** When the streams of many clients began: from the request on, in ms. */
struct opening_times {
    double event_p50 = 0;  ///< The first event, which the server makes itself.
    double event_p99 = 0;
    double token_p50 = 0;  ///< The first text of the model.
    double token_p99 = 0;
};

/** Stands in the request of a client for its number, in eight digits. */
inline constexpr const char* client_number = "{number}";

/** Clients that each send one request and read the stream that answers it, in a process of their own.
 *
 *  @par Thread safety   None. Made before the process has a second OS thread. */
class mass_clients {
public:
    /** @param token   What stands in the first event that counts as text of the model. */
    mass_clients(int clients, std::string request, std::string token);
    ~mass_clients();
    mass_clients(const mass_clients&) = delete;
    mass_clients& operator=(const mass_clients&) = delete;

    /** Connects all of them to a port of this machine, not more than some at once; returns when each stream has its
     *  first text. */
    [[nodiscard]] opening_times open(std::uint16_t port);
    /** How many events they have read by now, all together. */
    [[nodiscard]] std::uint64_t events();
    /** They go, before their server does: from now on they call nothing. */
    void leave();

private:
    void tell(const std::string& line);
    [[nodiscard]] std::string hear();

    pid_t child_ = -1;
    int orders_ = -1;   // the child ends when this is closed
    int answers_ = -1;
};

/** Raises this process's limit of open files as far as it may. @return  The limit. */
std::size_t raise_open_files();

}  // namespace weft_bench
