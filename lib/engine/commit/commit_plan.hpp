#pragma once

#include <weft/base/errc.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/store/record/run_record.hpp>

#include <cstdint>
#include <optional>

namespace weft {

/** Decides what the answers to a commit mean and what to do next, until it is known whether the checkpoint is stored.
 *
 *  A write whose outcome is unknown is never repeated blindly: it is looked up by its id first, and the fence keeps a
 *  late one from counting twice. Usage: do `next()`, report what came of it, and so on until it is `done`, `lost` or
 *  `failed`.
 *
 *  @par Thread safety   None.
 */
class commit_plan {
public:
    enum class step : std::uint8_t {
        write,    ///< Commit behind `head()`.
        look_up,  ///< Find the checkpoint `wanted()`.
        done,     ///< It is stored; `head()` is its number.
        lost,     ///< Another process has the thread.
        failed,   ///< It is not stored; `why()`.
    };

    /** @param id         Of the checkpoint. @param head  The newest one before it.
     *  @param doubtful   An earlier one whose fate is unknown; nil if there is none. */
    commit_plan(checkpoint_id id, std::int64_t head, checkpoint_id doubtful = checkpoint_id{}) noexcept
        : id_{id}, doubtful_{doubtful}, head_{head}
    {
    }

    [[nodiscard]] step next() const noexcept { return next_; }
    [[nodiscard]] std::int64_t head() const noexcept { return head_; }
    [[nodiscard]] checkpoint_id wanted() const noexcept { return is_earlier_wanted_ ? doubtful_ : id_; }
    /** Whether to wait before `next`: how often nothing came of it in a row. */
    [[nodiscard]] int fruitless() const noexcept { return fruitless_; }
    [[nodiscard]] errc why() const noexcept { return why_; }
    /** Whether a checkpoint may be stored that was not found. */
    [[nodiscard]] bool is_in_doubt() const noexcept { return is_in_doubt_; }

    /** The commit was answered. */
    void written(const commit_result& result) noexcept;
    /** Where the checkpoint is, if it is. */
    void found(std::optional<std::int64_t> sequence) noexcept;
    /** The store threw. */
    void threw(errc code) noexcept;

private:
    checkpoint_id id_;
    checkpoint_id doubtful_;
    std::int64_t head_;
    step next_ = step::write;
    errc why_ = errc::store_unavailable;
    int fruitless_ = 0;
    bool is_in_doubt_ = false;
    bool is_head_stale_ = false;
    bool is_earlier_wanted_ = false;
};

}  // namespace weft
