#pragma once

#include "sql_call.hpp"

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

namespace weft::postgres_detail {

using sql_call_ptr = intrusive_ptr<sql_call>;

/** How much goes to the server with one synchronisation point, that is, in one transaction. */
struct batch_limits {
    static constexpr std::size_t calls_max = 64;
    static constexpr std::size_t bytes_max = 1u << 20;
};

/** The calls that wait for a connection, in the order in which they came; bounded.
 *
 *  @par Thread safety   From any OS thread.
 */
class sql_queue {
public:
    explicit sql_queue(std::size_t waiting_max) noexcept : waiting_max_{waiting_max} {}

    /** @return  Nothing if it is full; else how many wait now. */
    [[nodiscard]] std::optional<std::size_t> push(sql_call_ptr call);
    /** Puts a call back in front, whatever is waiting. */
    void push_front(sql_call_ptr call);
    /** The next batch: at least one call if any waits, sorted by what they lock. Drops abandoned calls. */
    [[nodiscard]] std::vector<sql_call_ptr> take_batch();
    /** No call waits longer than until then. */
    void bring_forward(time_point deadline);
    /** Takes the calls that have waited too long. */
    [[nodiscard]] std::vector<sql_call_ptr> take_expired(time_point now);
    [[nodiscard]] std::vector<sql_call_ptr> take_all();
    [[nodiscard]] bool empty() const;
    [[nodiscard]] std::size_t size() const;

private:
    mutable std::mutex lock_;
    std::deque<sql_call_ptr> waiting_;
    std::size_t waiting_max_;
};

}  // namespace weft::postgres_detail
