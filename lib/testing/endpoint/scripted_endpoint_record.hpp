#pragma once

#include <weft/testing/endpoint/scripted_endpoint_counts.hpp>
#include <weft/testing/endpoint/scripted_endpoint_request.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace weft::testing {

/** What an endpoint has seen. The endpoint writes, tests read and wait.
 *
 *  @par Thread safety   All operations from any OS thread.
 */
class scripted_endpoint_record {
public:
    explicit scripted_endpoint_record(std::size_t requests_kept_max)
        : requests_kept_max_{requests_kept_max}
    {
    }

    /** Changes the counts and wakes who waits for them. */
    template <class Change>
    auto change(Change how)
    {
        const std::lock_guard lock{mutex_};
        changed_.notify_all();
        return how(counts_);
    }

    /** Gives the request its number and keeps it. */
    std::shared_ptr<const scripted_endpoint_request> add(scripted_endpoint_request request);
    void add_early_close(std::size_t request, std::size_t pieces);
    void add_unanswered(const scripted_endpoint_request& request);

    [[nodiscard]] scripted_endpoint_counts counts() const;
    [[nodiscard]] std::vector<scripted_endpoint_request> requests() const;
    [[nodiscard]] std::vector<scripted_endpoint_early_close> early_closes() const;
    /** The requests without a step; a line for each. */
    [[nodiscard]] std::string unanswered() const;

    bool wait_until(const std::function<bool(const scripted_endpoint_counts&)>& is_reached,
                    std::chrono::nanoseconds patience) const;

private:
    const std::size_t requests_kept_max_;
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    scripted_endpoint_counts counts_;
    std::deque<std::shared_ptr<const scripted_endpoint_request>> requests_;
    std::deque<scripted_endpoint_early_close> early_closes_;
    std::string unanswered_;
};

}  // namespace weft::testing
