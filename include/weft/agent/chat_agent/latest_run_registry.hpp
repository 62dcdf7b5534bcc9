#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

namespace weft {

/** Who may be aborted: the newest run of each thread. A run that a newer one has superseded is stopped, and cannot take
 *  the newer one's place away when it ends, however late.
 *
 *      weft::latest_run_registry::claim mine = registry.take("thread-1");   // stops the run before
 *      …run with mine.token()…
 *
 *  @par Thread safety   `take` and `abort` from any OS thread; a claim belongs to who took it.
 *  @par Lifetimes       Claims share what they need; the registry may go first.
 *  @par Source          Sulla's abort service, whose superseded runs removed the handle of the newer one.
 */
class latest_run_registry {
    struct shared_state;

public:
    /** The right to be aborted. Given back when it goes, if no newer one has taken the place. */
    class claim {
    public:
        claim() noexcept = default;
        claim(claim&& other) noexcept = default;
        claim& operator=(claim&& other) noexcept;
        ~claim() { release(); }

        /** Is stopped by `abort`, and by a newer claim. */
        [[nodiscard]] std::stop_token token() const noexcept { return stop_.get_token(); }
        /** Whether no newer one has taken the place. */
        [[nodiscard]] bool is_current() const;
        /** Gives it back early. */
        void release() noexcept;

    private:
        friend class latest_run_registry;
        claim(std::shared_ptr<shared_state> registry, std::string thread, std::uint64_t number, std::stop_source stop);

        std::shared_ptr<shared_state> registry_;
        std::string thread_;
        std::uint64_t number_ = 0;
        std::stop_source stop_{std::nostopstate};
    };

    latest_run_registry();

    /** Takes the place of a thread; the claim that had it is stopped. */
    [[nodiscard]] claim take(const std::string& thread);
    /** Stops the claim that has the place; doing it again is the same as once. @return  False if none has it. */
    bool abort(const std::string& thread);
    /** How many threads have a claim. */
    [[nodiscard]] std::size_t size() const;

private:
    std::shared_ptr<shared_state> shared_;
};

}  // namespace weft
