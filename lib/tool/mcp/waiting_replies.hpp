#pragma once

#include <weft/tool/mcp/mcp_types.hpp>
#include <weft/tool/rpc/json_rpc.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace weft::mcp_detail {

/** Counts the answers that are under way to a server. One that sends requests and does not read the answers would make
 *  them pile up.
 *
 *  @par Lifetimes   Outlives its places. */
class waiting_replies {
public:
    explicit waiting_replies(const mcp_limits& limits) noexcept
        : count_max_{limits.replies_max}, bytes_max_{limits.reply_bytes_max}
    {
    }

    /** Counts as one answer until it is destroyed. */
    class place {
    public:
        place(waiting_replies& all, std::size_t bytes) noexcept : all_{&all}, bytes_{bytes}
        {
            ++all.count_;
            all.bytes_ += bytes;
        }
        place(place&& other) noexcept : all_{std::exchange(other.all_, nullptr)}, bytes_{other.bytes_} {}
        place& operator=(place&&) = delete;
        ~place();

        /** The answer is known: it has so many bytes. */
        void set_bytes(std::size_t bytes) noexcept;

    private:
        waiting_replies* all_;
        std::size_t bytes_;
    };

    /** An answer to this request, which repeats its id. */
    [[nodiscard]] place open(const json_rpc_id& id) noexcept;

    [[nodiscard]] bool are_too_many() const noexcept { return count_ > count_max_ || bytes_ > bytes_max_; }
    /** `errc::limit_reached`, naming the limit. */
    [[nodiscard]] error failure(const std::string& label) const;

private:
    std::size_t count_max_;
    std::size_t bytes_max_;
    std::size_t count_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace weft::mcp_detail
