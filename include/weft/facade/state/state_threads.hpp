#pragma once

#include <weft/engine/scheduler/frontier.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

namespace weft {

/** How a thread of a `state_graph` stands. */
enum class thread_status : std::uint8_t { running, interrupted_before, interrupted_after, stopped, completed, error };

[[nodiscard]] std::string_view name_of(thread_status status) noexcept;

/** What is kept of a thread between its runs. */
struct thread_record {
    thread_status status = thread_status::running;
    std::shared_ptr<const frontier> at;  ///< Where it goes on: the end of a run that is over has no tokens.
    std::string interrupted_node;
    std::string error;                   ///< Of a run that failed.
};

/** Threads in memory: for one process, until `forget`.
 *
 *  @par Thread safety   All operations from any OS thread.
 */
class state_threads {
public:
    /** What is kept; nothing for a thread that has never ended or paused a run. */
    [[nodiscard]] std::optional<thread_record> load(const std::string& thread) const;
    void save(const std::string& thread, thread_record record);
    /** Forgets what is kept. A run under way goes on. */
    void forget(const std::string& thread);

    /** Marks a thread as running until `leave`; `pause` asks the run to pause. @return False if it runs already. */
    [[nodiscard]] bool enter(const std::string& thread, std::stop_source pause);
    void leave(const std::string& thread);
    /** Asks the thread's run to pause. @return False if none is under way. */
    bool pause(const std::string& thread);

private:
    mutable std::mutex mutex_;
    std::map<std::string, thread_record> kept_;
    std::map<std::string, std::stop_source> running_;
};

}  // namespace weft
