#pragma once

#include <weft/base/chrono.hpp>
#include <weft/graph/node/effect.hpp>
#include <weft/testing/store/crash_store.hpp>

#include <boost/json/value.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace weft::testing {

/** How a program is killed. The one place of these defaults. */
struct crash_options {
    crash_options() {}

    std::uint64_t every = 1;                    ///< Looks at each n-th write only, to save time.
    std::chrono::seconds process_max{30};       ///< A process that lives longer is a violation.
    std::filesystem::path folder{};             ///< For the files of the rounds; empty: a new temporary one.
};

/** What came of it. */
struct crash_report {
    std::uint64_t writes = 0;              ///< Of the run that was not disturbed.
    std::uint64_t kills = 0;               ///< Processes that were killed.
    std::vector<std::string> violations{}; ///< One sentence each, with the write; empty: nothing lost, nothing twice.

    [[nodiscard]] bool is_clean() const noexcept { return violations.empty() && kills > 0; }
    /** All of it, for the message of a test. */
    [[nodiscard]] std::string text() const;
};

/** What a process of the user's program has in one round: a folder that outlives it, and a ledger that no store knows.
 *
 *  @par Thread safety   From any OS thread of its process. */
class crash_round {
public:
    /** Where the store of the round keeps its files. */
    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }
    /** To be called by each effect at the moment when it happens to the world. */
    void effect(const effect_context& happened) const;
    /** What the program has come to; to be called once, at its end. */
    void end_with(const boost::json::value& result) const;

    // For the kit.
    crash_round(std::filesystem::path folder, std::uint64_t write, bool is_after)
        : folder_{std::move(folder)}, write_{write}, is_after_{is_after}
    {
    }
    void note(const std::string& line) const;
    /** The write at which the process dies; 0: none. */
    [[nodiscard]] std::uint64_t write() const noexcept { return write_; }
    [[nodiscard]] bool dies_after() const noexcept { return is_after_; }

private:
    std::filesystem::path folder_;
    std::uint64_t write_;
    bool is_after_;
};

/** Kills a program just before and just after each write of its store, lets another process finish, and compares.
 *
 *      void shop(const weft::testing::crash_round& round)       // one process
 *      {
 *          weft::run_blocking(serve_one_order(round));          // a durable engine on a crash_store
 *      }
 *      const weft::testing::crash_report report = weft::testing::kill_at_every_write(shop);
 *      BOOST_TEST(report.is_clean(), report.text());
 *
 *  Each process is a fork of the caller, so the caller has one OS thread. It must come to its end whatever an earlier
 *  process of the round has left in the folder: it takes over runs (`durable_engine::recover`), or asks for the run
 *  again with the same idempotency key.
 *
 *  These are violations: a round that ends in another way than the undisturbed one, or not at all; an effect that
 *  happens under two keys; one that happens again after the store had acknowledged its outcome.
 *
 *  @param process   Called in processes of their own, twice a round: once killed, once not.
 *  @par Errors      `errc::invalid_configuration`  the undisturbed process failed, ended with nothing, or wrote
 *                   nothing.
 *  @par Example     samples/23_crash_test.cpp [crash] */
[[nodiscard]] crash_report kill_at_every_write(const std::function<void(const crash_round&)>& process,
                                               const crash_options& options = crash_options{});

}  // namespace weft::testing
