#pragma once

#include <weft/graph/state/write_set.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace weft {

/** Which keys a node has written in the runs of its graph so far, by slot. It only grows.
 *
 *  @par Thread safety   From any OS thread; what is written once is a read afterwards.
 */
class observed_writes {
public:
    explicit observed_writes(std::size_t slots)
        : more_{slots > bits ? new std::atomic<std::uint64_t>[(slots - 1) / bits]{} : nullptr}
    {
    }

    /** Adds the keys of a node that has completed. After the first few runs it only reads. */
    void note(const write_set& writes) noexcept
    {
        for (const state_write& write : writes) {
            std::atomic<std::uint64_t>& word = word_of(write.slot);
            const std::uint64_t bit = std::uint64_t{1} << write.slot % bits;
            if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
        }
    }
    /** Whether the key of a slot was ever written. */
    [[nodiscard]] bool has(std::uint32_t slot) const noexcept
    {
        const std::atomic<std::uint64_t>& word = slot < bits ? first_ : more_[slot / bits - 1];
        return (word.load(std::memory_order_relaxed) >> slot % bits & 1) != 0;
    }

private:
    static constexpr std::uint32_t bits = 64;

    [[nodiscard]] std::atomic<std::uint64_t>& word_of(std::uint32_t slot) noexcept
    {
        return slot < bits ? first_ : more_[slot / bits - 1];
    }

    std::atomic<std::uint64_t> first_{0};
    std::unique_ptr<std::atomic<std::uint64_t>[]> more_;  // of graphs with more than 64 keys
};

}  // namespace weft
