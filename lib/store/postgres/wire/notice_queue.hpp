#pragma once

#include <weft/async/wait/remote_signal.hpp>
#include <weft/base/clock.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>
#include <weft/store/role/store_news.hpp>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace weft::postgres_detail {

/** Notices on their way to other processes: each once, however often it is announced before it is sent; bounded.
 *
 *  @par Thread safety   From any OS thread; `wait` by one coroutine.
 */
class notice_queue {
public:
    /** What goes out together: `send_pause` lies between one sending and the next. */
    static constexpr std::chrono::milliseconds send_pause{5};

    /** @param origin  Names the store that announces. */
    explicit notice_queue(std::string origin) : origin_{std::move(origin)} {}

    void push(const store_notice& notice);
    /** Asks for a payload without notices, which comes back to its sender. */
    void push_echo();
    /** Until something is queued. */
    [[nodiscard]] task<void> wait();
    /** Takes all, as payloads; they count as under way until `sent`. */
    [[nodiscard]] std::vector<std::string> take();
    void sent();
    /** The notice of a write that is about to be sent, as a payload that goes out right behind it, past the queue.
     *  @return  Empty: others are on their way or went out just now, so that this one is to be queued. */
    [[nodiscard]] std::string pass_by(const store_notice& notice, time_point now);
    /** Blocks the OS thread until all is sent, at most for so long. */
    void drain(std::chrono::milliseconds at_most);

private:
    const std::string origin_;
    std::mutex lock_;
    std::condition_variable idle_;
    time_point passed_at_{};
    std::vector<store_notice> notices_;
    bool wants_echo_ = false;
    bool is_under_way_ = false;
    const intrusive_ptr<remote_signal> queued_ = make_counted<remote_signal>();
};

}  // namespace weft::postgres_detail
