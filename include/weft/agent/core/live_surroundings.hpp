#pragma once

#include <weft/store/record/thread_key.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace weft {

/** The bounds of what `live_surroundings` keeps. */
struct live_limits {
    std::size_t threads_max = 10'000;    ///< For more, the thread that was told of longest ago is forgotten.
    std::size_t subjects_max = 32;       ///< Of a thread; for more, the one that changed longest ago is forgotten.
    std::size_t text_bytes_max = 2'000;  ///< Of one subject; a longer text is cut.
};

/** What happens around an agent while it works, told from outside: where a person is on a page, what is selected,
 *  what a machine shows.
 *
 *      auto live = std::make_shared<weft::live_surroundings>();
 *      options.live = live;                                   // of an agent_graph
 *      …
 *      live->tell(weft::thread_key{"thread-1"}, "page", "/orders/17");  // while it works, from any OS thread
 *
 *  Each request to the model has the newest text of each subject, also in the middle of a turn: what came in between is
 *  never seen, and no text is kept for later. It stands in what the system says, as information that is no order; it is
 *  not in the conversation and not in the store, and ends with the process.
 *
 *  @par Thread safety   From any OS thread.
 *  @par Source          Sulla's live stream of the page's events (SUL-27).
 */
class live_surroundings {
public:
    explicit live_surroundings(live_limits limits = {});
    ~live_surroundings();
    live_surroundings(const live_surroundings&) = delete;
    live_surroundings& operator=(const live_surroundings&) = delete;

    /** Something is so from now on. @param text  Empty: there is nothing to say of the subject any more. */
    void tell(const thread_key& of, std::string_view subject, std::string_view text);
    /** Nothing is known of the thread any more. */
    void forget(const thread_key& of);
    /** For a model: the subjects in the order of their last change; empty if there are none. */
    [[nodiscard]] std::string text_for(const thread_key& of) const;

    [[nodiscard]] const live_limits& limits() const noexcept { return limits_; }

private:
    struct told_threads;

    live_limits limits_;
    std::unique_ptr<told_threads> told_;
};

}  // namespace weft
