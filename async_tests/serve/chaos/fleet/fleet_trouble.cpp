#include "fleet_trouble.hpp"

#include "durable/process.hpp"
#include "serve/chaos/stream_course.hpp"
#include "store/chaos/chaos_trouble.hpp"

#include <libpq-fe.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace fleet_chaos {

namespace {

using namespace std::chrono_literals;
using weft_chaos::wait;

constexpr auto lifetime = stream_chaos::worker_lifetime;

std::uint16_t port_of_server()
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

/** libfaketime, where it is installed. */
std::string library_of_clocks()
{
    for (const char* folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"}) {
        const std::string file = std::string{folder} + "/faketime/libfaketimeMT.so.1";
        if (std::filesystem::exists(file)) return file;
    }
    return {};
}

}  // namespace

/** A session that has looked once and is in no hurry: nothing that changes since can be cleaned away. */
struct fleet_trouble::held_snapshot {
    explicit held_snapshot(const std::string& connection) : session{PQconnectdb(connection.c_str()), &PQfinish}
    {
        PQsetNoticeProcessor(session.get(), [](void*, const char*) {}, nullptr);
        PQclear(PQexec(session.get(), "BEGIN ISOLATION LEVEL REPEATABLE READ"));
        PQclear(PQexec(session.get(), "SELECT count(*) FROM pg_class"));
    }
    [[nodiscard]] bool is_held() const
    {
        PQclear(PQexec(session.get(), "SELECT 1"));
        return PQstatus(session.get()) == CONNECTION_OK && PQtransactionStatus(session.get()) == PQTRANS_INTRANS;
    }

    std::unique_ptr<PGconn, decltype(&PQfinish)> session;
};

fleet_trouble::fleet_trouble(const fleet_course& course, const fleet_site& site,
                             weft_tests::postgres_server& database, std::string ledger)
    : course_{course}, site_{site}, database_{database}, ledger_{std::move(ledger)}, random_{course.seed},
      clock_{library_of_clocks()}
{
    const std::size_t wired = site_.has_networks() ? site_.networks.size() : 0;
    for (std::size_t i = wired; i < workers; ++i)
        networks_.push_back(std::make_unique<database_proxy>(database.port()));
    for (std::size_t i = 0; i < servers; ++i) ports_.push_back(port_of_server());
    processes_.resize(workers + servers, -1);
    mend();
}

fleet_trouble::~fleet_trouble()
{
    for (const pid_t each : processes_) {
        if (each <= 0) continue;
        ::kill(each, SIGKILL);
        static_cast<void>(weft_tests::end_of(each));
    }
}

/** Of the workers one has a clock an hour ahead, and one an hour behind; the last ones have wires. */
void fleet_trouble::begin(std::size_t which)
{
    std::string connection = database_.connection();
    const std::string way = " user=weft dbname=postgres port=";
    std::string entrance;
    if (which < networks_.size()) {
        connection = "host=127.0.0.1" + way + std::to_string(networks_[which]->port());
    } else if (which < workers) {
        const worker_network& network = site_.networks[which - networks_.size()];
        // What is not the loopback is to be encrypted, which the server of a test cannot do.
        connection = "sslmode=disable host=" + network.machine() + way + std::to_string(database_.port());
        entrance = network.entrance();
    }
    const std::uint16_t port = which < workers ? std::uint16_t{0} : ports_[which - workers];
    std::vector<std::string> environment;
    if (which < 2 && !clock_.empty())
        environment = {"LD_PRELOAD=" + clock_, std::string{"FAKETIME="} + (which == 0 ? "+3600s" : "-3600s"),
                       "FAKETIME_DONT_FAKE_MONOTONIC=1"};
    processes_[which] =
        weft_tests::start_self({"--process", connection, schema, std::to_string(port), ledger_,
                                course_.is_unfenced ? "unfenced" : "fenced", entrance},
                               environment);
}

void fleet_trouble::mend()
{
    static_cast<void>(database_.start_if_ended());
    for (std::size_t i = 0; i < processes_.size(); ++i) {
        pid_t& process = processes_[i];
        if (process > 0 && ::waitpid(process, nullptr, WNOHANG) == process) process = -1;
        if (process < 0) begin(i);
    }
    if (!snapshot_ || !snapshot_->is_held()) snapshot_ = std::make_unique<held_snapshot>(database_.connection());
}

void fleet_trouble::calm()
{
    for (const auto& each : networks_) {
        each->set_partitioned(false);
        each->set_slow(false);
    }
    if (site_.has_networks())
        for (const worker_network& each : site_.networks) each.plug_in();
    if (site_.disk.is_there()) site_.disk.free();
    mend();
}

void fleet_trouble::make()
{
    const auto what = static_cast<fault>(faults_made_ < faults ? faults_made_ : static_cast<int>(some(faults)));
    ++faults_made_;
    if ((what == unplug && !site_.has_networks()) || (what == full_disk && !site_.disk.is_there())) return;
    ++made_[what];
    switch (what) {
    case kill: ::kill(processes_[some(processes_.size())], SIGKILL); break;
    case stop: stop_worker(); break;
    case crash: database_.restart_immediately(); break;
    case end_sessions:
        static_cast<void>(database_.query("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE"
                                          " backend_type = 'client backend' AND pid <> pg_backend_pid()"
                                          " AND random() < 0.5"));
        break;
    case partition: leave_partitioned(); break;
    case slow: {
        database_proxy& network = *networks_[some(networks_.size())];
        network.set_slow(true);
        wait(2 * lifetime);
        network.set_slow(false);
        break;
    }
    case cut: networks_[some(networks_.size())]->cut(); break;
    case unplug: leave_unplugged(); break;
    case full_disk: fill_disk(); break;
    case faults: break;
    }
}

void fleet_trouble::stop_worker()
{
    const pid_t process = processes_[some(workers)];
    ::kill(process, SIGSTOP);
    // Not for so long that what it had is over elsewhere: then it could do no harm.
    wait(lifetime + std::chrono::milliseconds{300 + random_.below(1'000)});
    ::kill(process, SIGCONT);
}

void fleet_trouble::stop_worker_until_overtaken()
{
    const auto taken_again = [&] {
        return database_.query(std::string{"SELECT count(*) FROM "} + schema + ".run WHERE attempt > 1");
    };
    constexpr auto patience = 5 * lifetime;  // it may have had nothing
    constexpr auto look_every = 50ms;
    const std::string before = taken_again();
    const pid_t process = processes_[some(workers)];
    ::kill(process, SIGSTOP);
    for (auto waited = 0ms; waited < patience && taken_again() == before; waited += look_every) wait(look_every);
    // The other one is some steps ahead, and not at the end yet.
    wait(300ms);
    ::kill(process, SIGCONT);
}

void fleet_trouble::wait_beyond_lifetime()
{
    wait(lifetime + std::chrono::milliseconds{300 + random_.below(1'500)});
}

/** The worker lives on without its database, whose runs others take over, and what it has sent arrives late. */
void fleet_trouble::leave_partitioned()
{
    database_proxy& network = *networks_[some(networks_.size())];
    network.set_partitioned(true);
    wait_beyond_lifetime();
    network.set_partitioned(false);
}

/** The same by the network itself: what is sent is lost on the way, and sent again when there is one. */
void fleet_trouble::leave_unplugged()
{
    const worker_network& network = site_.networks[some(site_.networks.size())];
    network.unplug();
    wait_beyond_lifetime();
    network.plug_in();
}

/** The server refuses what needs room, and ends itself when its log does. Counted only if that is so. */
void fleet_trouble::fill_disk()
{
    bool has_room = !site_.disk.fill();
    wait_beyond_lifetime();
    try {
        static_cast<void>(database_.query("CREATE TEMPORARY TABLE filler AS SELECT repeat('x', 1000) FROM"
                                          " generate_series(1, 99)"));
        has_room = true;
    } catch (const std::runtime_error&) {
    }
    site_.disk.free();
    if (has_room) --made_[full_disk];
}

std::string fleet_trouble::text() const
{
    constexpr std::array<const char*, faults> names{"kill -9", "SIGSTOP", "crashes of PostgreSQL",
                                                    "times sessions ended", "partitions", "slow networks",
                                                    "networks cut", "workers unplugged", "full disks"};
    std::string all;
    for (std::size_t i = 0; i < names.size(); ++i)
        all += (i == 0 ? "" : ", ") + std::to_string(made_[i]) + " " + names[i];
    if (!site_.has_networks()) all += "; none unplugged: a network of its own is for the superuser, by `ip`";
    if (!site_.disk.is_there()) all += "; no full disk: a disk of its own is for the superuser";
    if (clock_.empty()) all += "; no wrong clocks: libfaketime is not installed";
    return all;
}

}  // namespace fleet_chaos
