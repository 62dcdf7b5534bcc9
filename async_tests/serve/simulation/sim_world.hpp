#pragma once

#include "sim_judge.hpp"

#include <weft/net/http_client.hpp>
#include <weft/serve/server.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/testing/simulation.hpp>
#include <weft/testing/virtual_network.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace server_simulation {

/** The server of a simulation in its lives, its store, its network, and the journal. */
class sim_world {
public:
    sim_world(std::uint64_t seed, bool keeps_lines);
    ~sim_world();

    [[nodiscard]] weft::testing::simulation& sim() noexcept { return sim_; }
    [[nodiscard]] weft::testing::virtual_network& network() noexcept { return network_; }
    [[nodiscard]] weft::memory_store& store() noexcept { return store_; }
    [[nodiscard]] sim_journal& journal() noexcept { return journal_; }
    /** What clients draw from: not what the server does, so that one more draw of it changes nothing of theirs. */
    [[nodiscard]] weft::random_source& random() noexcept { return random_; }
    [[nodiscard]] bool chance(unsigned percent) noexcept { return random_.below(100) < percent; }
    [[nodiscard]] std::chrono::milliseconds some_ms(std::uint64_t max) noexcept
    {
        return std::chrono::milliseconds{random_.below(max + 1)};
    }

    void note(std::string_view line) { journal_.note(microseconds(), line); }
    void violation(std::string what) { journal_.violation(microseconds(), std::move(what)); }

    // What happens to the server.

    /** It is started, on what the store has. */
    void start();
    /** Its process dies: the store hears nothing more, all connections break. */
    void kill();
    /** It is asked to end in order; `is_up` is false when it has. */
    void drain();
    [[nodiscard]] bool is_up() const noexcept { return running_.has_value(); }
    /** How often it was asked to end, ended, or was killed: while this stays the same, one server is at work. */
    [[nodiscard]] unsigned changes() const noexcept { return changes_; }
    [[nodiscard]] unsigned kills() const noexcept { return kills_; }
    [[nodiscard]] unsigned drains() const noexcept { return drains_; }

    /** One step of the world. @return  False if nothing can happen any more. */
    bool step();

    // What clients of it know of each other.

    /** A run of a tenant, for one of another tenant to try. */
    void make_known(std::string tenant, std::string thread, std::string run);
    struct known_run {
        std::string tenant;
        std::string thread;
        std::string run;
    };
    [[nodiscard]] const std::vector<known_run>& known_runs() const noexcept { return known_; }

private:
    [[nodiscard]] std::int64_t microseconds() const;
    void take_end();

    weft::testing::simulation sim_;
    weft::testing::virtual_network network_;
    weft::memory_store store_{weft::hash_key{}};
    std::unique_ptr<weft::checkpoint_store> runs_;  // what the server has of it
    weft::random_source random_;
    sim_journal journal_;
    std::vector<known_run> known_;
    std::unique_ptr<weft::server> server_;
    std::optional<weft::testing::simulation::root<void>> running_;
    unsigned changes_ = 0;
    unsigned kills_ = 0;
    unsigned drains_ = 0;
};

}  // namespace server_simulation
