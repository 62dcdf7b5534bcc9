#pragma once

#include <weft/agent/chat_agent/speech_buffer.hpp>
#include <weft/agent/chat_agent/speech_judge.hpp>
#include <weft/agent/chat_agent/speech_record.hpp>
#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/retry_policy.hpp>
#include <weft/async/signal.hpp>
#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>

#include <boost/describe/enum.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

class scope;

/** What a `speech_manager` works with. At least one of `deliver` and `records` is needed. */
struct speech_manager_options {
    speech_manager_options() {}

    speech_limits limits{};
    speech_judge judge{};  ///< At a pause; empty: the rule `complete_thought_in`.
    std::chrono::nanoseconds judge_timeout = std::chrono::seconds{5};
    /** Gets each record; those of a thread one after the other. Empty: a consumer takes them out of `records`. */
    std::function<task<void>(speech_record)> deliver{};
    /** Where a record lies from the moment it is ready until `deliver` has returned; without `deliver` until it is
     *  taken. What is still there after a crash can be taken by `speech_records::take`. */
    std::optional<speech_records> records{};
    retry_policy store_retries{};      ///< For writes of records.
    std::size_t threads_max = 10'000;  ///< With text or records that wait.
    std::size_t waiting_max = 16;      ///< Records of one thread that wait for `serve`.
    std::size_t jobs_max = 64;         ///< Records and judgements at work at once.
};

/** What the speech of a thread is doing. */
enum class speech_state : std::uint8_t {
    silent,     ///< There is no text.
    speaking,   ///< The last piece is younger than a pause.
    paused,     ///< Silence, and the text is not handed over yet.
};
BOOST_DESCRIBE_ENUM(speech_state, silent, speaking, paused)

/** How the buffer of a thread stands. */
struct speech_status {
    bool exists = false;
    std::string content{};
    std::chrono::milliseconds age{0};  ///< Since the first piece.
    speech_state state = speech_state::silent;
    std::size_t waiting = 0;           ///< Records that are not handed over yet.
};

/** What a manager has done. */
struct speech_counts {
    std::uint64_t delivered = 0;
    std::uint64_t judged = 0;
    std::uint64_t failed = 0;     ///< Judges, writes of records and calls of `deliver` that threw.
    std::string last_failure{};
};

/** The speech of all threads: buffers the pieces of each, watches the clock, and hands texts over as records.
 *
 *      weft::speech_manager_options options;
 *      options.deliver = answer;                               // task<void> answer(weft::speech_record)
 *      options.records.emplace(weft::item_space{store, "acme"});
 *      weft::speech_manager speech{loop, options};
 *      children.spawn(speech.serve());
 *      speech.add("call-7", "could you");                        // as the recogniser brings pieces
 *
 *  When a text is ready, the rules of `speech_buffer` decide. A record is written down first and then handed over; one
 *  whose `deliver` throws stays in the store.
 *
 *  @par Thread safety   None: it belongs to one loop.
 *  @par Lifetimes       The loop outlives it, and it outlives `serve`. Its end drops texts that are not handed over:
 *                       `close` and await `serve` before that.
 *  @par Source          Sulla's stream buffer manager. */
class speech_manager {
public:
    /** @par Errors   `errc::invalid_configuration`: neither `deliver` nor `records` is given. */
    speech_manager(serial_loop& loop, speech_manager_options options);
    ~speech_manager();
    speech_manager(const speech_manager&) = delete;
    speech_manager& operator=(const speech_manager&) = delete;

    /** Takes a piece of a thread.
     *
     *  @param is_last   The recogniser knows that nothing follows.
     *  @return          Whether the text is handed over now, and why.
     *  @par Errors      `errc::limit_reached`: too many threads, or `waiting_max` records of this one wait;
     *                   `errc::cancelled`: the manager is closed. The piece is not taken. */
    speech_decision add(const std::string& thread, std::string_view piece, bool is_last = false);
    /** Hands over what a thread has said so far. @return False if there is nothing. */
    bool flush(std::string_view thread);
    /** Of a thread that has said nothing `exists` is false. */
    [[nodiscard]] speech_status status(std::string_view thread) const;

    /** Judges, writes and hands over, until the manager is closed and all is done. One at a time.
     *  @par Errors          `errc::cancelled`. What judges, stores and `deliver` throw is counted.
     *  @par Cancellation    What is at work is stopped and awaited. */
    [[nodiscard]] task<void> serve();
    /** Hands over what all threads have said, and takes no further piece; `serve` ends. */
    void close();

    [[nodiscard]] const speech_counts& counts() const noexcept { return counts_; }

private:
    struct buffered_thread;
    enum class job : std::uint8_t { judge, deliver };

    [[nodiscard]] speech_buffer::moment now() const noexcept;
    [[nodiscard]] buffered_thread& thread_called(const std::string& name);
    speech_decision act_on(buffered_thread& of, speech_decision decision);
    void look(buffered_thread& of);
    void arm(buffered_thread& of);
    void want(buffered_thread& of, job what);
    void start_jobs(scope& jobs);
    void retire(buffered_thread& of, job what);
    void note_failure(const std::exception_ptr& cause);
    [[nodiscard]] std::optional<std::string> next_question(buffered_thread& of) const;
    static task<void> judge_all(speech_manager& self, buffered_thread& of);
    static task<void> judge(speech_manager& self, buffered_thread& of, std::string text);
    static task<void> deliver_all(speech_manager& self, buffered_thread& of);
    static task<bool> write(speech_manager& self, std::string name, speech_record record);
    static task<void> deliver(speech_manager& self, std::string name, speech_record record);

    serial_loop& loop_;
    speech_manager_options options_;
    std::map<std::string, std::unique_ptr<buffered_thread>, std::less<>> threads_;
    std::deque<std::pair<buffered_thread*, job>> line_;
    signal news_;
    bool is_closed_ = false;
    speech_counts counts_;
};

}  // namespace weft
