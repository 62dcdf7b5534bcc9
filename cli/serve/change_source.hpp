#pragma once

#include <weft/async/task.hpp>

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace weft_cli {

/** Wakes what looks at files: something in their folders may have changed. It may wake too often.
 *
 *  @par Thread safety   None: it belongs to its loop. */
class change_source {
public:
    virtual ~change_source() = default;

    /** Waits until something may have changed, at most for a while.
     *  @par Errors   `errc::cancelled`. */
    [[nodiscard]] virtual weft::task<void> wait() = 0;
};

/** Wakes every second. */
[[nodiscard]] std::unique_ptr<change_source> make_polling_source();

/** Wakes when the system says that a file in one of the folders was written, moved or removed, and every five seconds
 *  for what it does not say: of files on other machines, and of folders that were replaced themselves. Null if the
 *  system has no inotify to give.
 *
 *  @param concerns   Whether a name in the folders is one that matters.
 *  @par Source       inotify(7). */
[[nodiscard]] std::unique_ptr<change_source> make_inotify_source(boost::asio::io_context& context,
                                                                 const std::vector<std::filesystem::path>& folders,
                                                                 std::function<bool(std::string_view name)> concerns);

}  // namespace weft_cli
