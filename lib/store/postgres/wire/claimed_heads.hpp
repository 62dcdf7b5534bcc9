#pragma once

#include <weft/store/record/checkpoint.hpp>
#include <weft/store/record/thread_key.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace weft::postgres_detail {

/** Checkpoints that came with claims, until they are loaded by their number. A checkpoint never changes, so that one is
 *  as good as what a look gives. Of many that are not asked for the oldest go.
 *
 *  @par Thread safety   From any OS thread.
 */
class claimed_heads {
public:
    static constexpr std::size_t held_max = 64;

    /** What is held of a thread from now on: the newest checkpoint, after a claim, or nothing. */
    void note(const thread_key& thread, std::optional<checkpoint> newest)
    {
        const std::lock_guard guard{lock_};
        std::erase_if(held_, [&](const auto& each) { return each.first == thread; });
        if (!newest) return;
        if (held_.size() == held_max) held_.pop_front();
        held_.emplace_back(thread, std::move(*newest));
    }

    /** Gives each once. */
    [[nodiscard]] std::optional<checkpoint> take(const thread_key& thread, std::int64_t sequence)
    {
        const std::lock_guard guard{lock_};
        const auto found = std::find_if(held_.begin(), held_.end(), [&](const auto& each) {
            return each.second.sequence == sequence && each.first == thread;
        });
        if (found == held_.end()) return std::nullopt;
        std::optional<checkpoint> taken{std::move(found->second)};
        held_.erase(found);
        return taken;
    }

private:
    std::mutex lock_;
    std::deque<std::pair<thread_key, checkpoint>> held_;
};

}  // namespace weft::postgres_detail
