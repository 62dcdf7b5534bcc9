#pragma once

#include <weft/async/wait/remote_signal.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>
#include <weft/store/role/store_news.hpp>

#include <mutex>
#include <vector>

namespace weft {

/** Notices of a store on their way to the loop of an engine: each once until it is taken; bounded.
 *
 *  @par Thread safety   `add` from any OS thread; the rest on one loop.
 */
class news_inbox {
public:
    void add(const store_notice& notice);
    /** Until something has come. @par Errors  `errc::cancelled`. */
    [[nodiscard]] task<void> wait();
    [[nodiscard]] std::vector<store_notice> take();

private:
    std::mutex lock_;
    std::vector<store_notice> notices_;
    const intrusive_ptr<remote_signal> arrived_ = make_counted<remote_signal>();
};

}  // namespace weft
