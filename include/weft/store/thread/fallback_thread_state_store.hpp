#pragma once

#include <weft/store/thread/memory_thread_state_store.hpp>
#include <weft/store/thread_state_store.hpp>

#include <atomic>
#include <cstdint>
#include <memory>

namespace weft {

/** A state store that goes on in the memory of this process while another one cannot be reached.
 *
 *  What is kept here meanwhile is seen by this process only, and is written to the other store when the thread is
 *  loaded or saved and it is there again. Writes by the holder of a lock are never kept here: they
 *  could not be compared with the lock. Nothing is erased here alone: what the other store has would come back.
 */
class fallback_thread_state_store final : public thread_state_store {
public:
    explicit fallback_thread_state_store(std::shared_ptr<thread_state_store> primary)
        : primary_{std::move(primary)}, kept_{primary_->lifetime()}
    {
    }

    [[nodiscard]] task<write_state> save(thread_hold by, boost::json::value state) override;
    [[nodiscard]] task<std::optional<boost::json::value>> load(thread_key thread) override;
    [[nodiscard]] task<write_state> erase(thread_hold by) override;
    [[nodiscard]] std::chrono::milliseconds lifetime() const noexcept override { return primary_->lifetime(); }

    /** How many operations were done here because the other store was away. */
    [[nodiscard]] std::uint64_t done_here() const noexcept { return done_here_.load(); }

private:
    std::shared_ptr<thread_state_store> primary_;
    memory_thread_state_store kept_;
    std::atomic<std::uint64_t> done_here_{0};
};

}  // namespace weft
