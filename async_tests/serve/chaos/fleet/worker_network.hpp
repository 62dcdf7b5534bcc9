#pragma once

#include <cstddef>
#include <string>

namespace fleet_chaos {

/** A network of a process's own, with one wire to this machine that can be unplugged. Only the superuser can have one,
 *  where the program `ip` is; it is gone with this process.
 *
 *  Nothing passes while it is unplugged, neither end learns of it, and afterwards each side sends again what it was not
 *  told of: as between two machines. */
class worker_network {
public:
    /** Of all such addresses, for `pg_hba.conf`: those that RFC 2544 sets aside for tests. */
    static constexpr const char* addresses = "198.18.0.0/15";

    /** @param number  Another one for each network of this process, below 4. */
    explicit worker_network(std::size_t number);
    ~worker_network();
    worker_network(const worker_network&) = delete;
    worker_network& operator=(const worker_network&) = delete;

    [[nodiscard]] bool is_there() const noexcept { return is_there_; }
    /** Where this machine is, for a process in the network. */
    [[nodiscard]] const std::string& machine() const noexcept { return machine_; }
    /** What another process gives `enter`. */
    [[nodiscard]] std::string entrance() const;
    /** Moves the calling OS thread, and those that it starts, into a network of another process.
     *  @par Errors  `std::runtime_error`. */
    static void enter(const std::string& entrance);

    void unplug() const;
    void plug_in() const;

private:
    /** In an OS thread that is in the new network. */
    [[nodiscard]] bool lay_wire(const std::string& address) const;

    std::string wire_;     // the end at this machine
    std::string machine_;
    int inside_ = -1;      // the network, as a file
    bool is_there_ = false;
};

}  // namespace fleet_chaos
