#pragma once

#include "protocol_world.hpp"

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>

namespace protocol_world {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds worker_lifetime = 10s;

/** What a store answered, or why it did not. */
template <class T>
class store_reply {
public:
    store_reply() noexcept {}
    std::optional<T> value;
    weft::errc code = weft::errc::cancelled;
};

/** A process with its own connection to the store; it may be paused, and dies when it is destroyed. */
class process {
public:
    process(weft::testing::simulation& sim, weft::checkpoint_store& store, std::uint64_t seed);

    [[nodiscard]] weft::testing::faulty_store& store() noexcept { return store_; }
    void start() { life_.emplace(sim_, live()); }
    void kill() { life_.reset(); }
    [[nodiscard]] bool is_alive() const noexcept { return life_.has_value(); }
    /** Whether it ended by itself, which no process does. */
    [[nodiscard]] bool has_failed() const noexcept { return life_ && life_->has_ended(); }
    /** Nothing happens in it until then. */
    void pause_until(weft::time_point moment) { paused_until_ = moment; }

    /** Enters a job as a run, until the store says that it has it. */
    [[nodiscard]] weft::task<void> enter_job(job what);

private:
    [[nodiscard]] weft::task<void> live();
    [[nodiscard]] weft::task<void> beat(weft::worker_id worker, weft::scope& incarnation);
    [[nodiscard]] weft::task<void> take_runs(weft::worker_id worker, weft::scope& incarnation);
    [[nodiscard]] weft::task<void> work_on(weft::run_claim claim);
    enum class written { yes, no, lost };
    [[nodiscard]] weft::task<written> write_step(weft::write_fence& fence, chain_link& newest, std::string job);
    [[nodiscard]] weft::task<written> write_end(weft::write_fence& fence, chain_link& newest);
    /** Looks where the history ends now. */
    [[nodiscard]] weft::task<void> look(weft::write_fence& fence, chain_link& newest);

    [[nodiscard]] weft::task<void> gate();
    [[nodiscard]] weft::task<void> nap(std::chrono::milliseconds max);
    [[nodiscard]] std::string nonce();

    template <class T>
    weft::task<store_reply<T>> ask(weft::task<T> operation)
    {
        store_reply<T> reply;
        co_await gate();
        try {
            T value = co_await std::move(operation);
            reply.value.emplace(std::move(value));
        } catch (const weft::error& e) {
            if (e.code() == weft::errc::cancelled) throw;
            reply.code = e.code();
        }
        co_await gate();
        co_return reply;
    }

    weft::testing::simulation& sim_;
    weft::random_source random_;
    weft::testing::faulty_store store_;
    weft::time_point paused_until_;
    std::optional<weft::testing::simulation::root<void>> life_;
};

}  // namespace protocol_world
