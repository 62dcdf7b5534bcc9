#pragma once

#include "database_proxy.hpp"
#include "fleet_course.hpp"
#include "fleet_site.hpp"

#include "store/postgres_server.hpp"

#include <weft/base/random.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

namespace fleet_chaos {

/** The processes of a fleet, and what befalls them and their database: each kind of fault once, then by chance.
 *
 *  @par Thread safety   One OS thread at a time; `server_ports` from any. */
class fleet_trouble {
public:
    /** All outlive it. @param ledger  The file of what nodes have done. */
    fleet_trouble(const fleet_course& course, const fleet_site& site, weft_tests::postgres_server& database,
                  std::string ledger);
    ~fleet_trouble();
    fleet_trouble(const fleet_trouble&) = delete;
    fleet_trouble& operator=(const fleet_trouble&) = delete;

    /** Makes one fault, which is over when it returns. */
    void make();
    [[nodiscard]] bool has_made_each() const noexcept { return faults_made_ >= faults; }
    /** Only stops a worker, until another one has had a run of its own for a moment. */
    void stop_worker_until_overtaken();
    /** What has ended begins anew: processes, the database, the snapshot that is held. */
    void mend();
    /** The network is in order and the database there. */
    void calm();

    [[nodiscard]] const std::vector<std::uint16_t>& server_ports() const noexcept { return ports_; }
    /** What was made so far, for people. */
    [[nodiscard]] std::string text() const;

private:
    struct held_snapshot;
    enum fault { kill, stop, crash, end_sessions, partition, slow, cut, unplug, full_disk, faults };

    void begin(std::size_t which);
    void stop_worker();
    void leave_partitioned();
    void leave_unplugged();
    void fill_disk();
    /** So long that others take over what a worker had. */
    void wait_beyond_lifetime();
    [[nodiscard]] std::size_t some(std::size_t count) { return random_.below(count); }

    const fleet_course& course_;
    const fleet_site& site_;
    weft_tests::postgres_server& database_;
    std::string ledger_;
    weft::random_source random_;
    std::vector<std::unique_ptr<database_proxy>> networks_;  // of the workers without a wire
    std::vector<std::uint16_t> ports_;
    std::vector<pid_t> processes_;                           // workers, then servers
    std::unique_ptr<held_snapshot> snapshot_;
    std::string clock_;                                      // the library of wrong clocks; empty: there is none
    std::array<int, faults> made_{};
    int faults_made_ = 0;
};

}  // namespace fleet_chaos
