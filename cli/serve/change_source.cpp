#include "change_source.hpp"

#include <weft/async/sleep.hpp>
#include <weft/async/use_task.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>

#include <boost/asio/posix/stream_descriptor.hpp>

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <exception>
#include <utility>

namespace weft_cli {

namespace {

constexpr std::chrono::seconds polled_every{1};
constexpr std::chrono::seconds looked_every{5};
constexpr std::uint32_t watched_events = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE;

class polling_source final : public change_source {
public:
    weft::task<void> wait() override { return sleep(); }

private:
    static weft::task<void> sleep() { co_await weft::sleep_for(polled_every); }
};

class inotify_source final : public change_source {
public:
    inotify_source(boost::asio::io_context& context, int descriptor,
                   std::function<bool(std::string_view name)> concerns)
        : events_{context, descriptor}, concerns_{std::move(concerns)}
    {
    }

    weft::task<void> wait() override { return wait_for_events(*this); }

private:
    static weft::task<void> wait_for_events(inotify_source& self)
    {
        try {
            co_await weft::with_deadline(next_event(self), looked_every);
        } catch (const weft::error& e) {
            if (e.code() == weft::errc::cancelled) throw;
        }
    }

    static weft::task<void> next_event(inotify_source& self)
    {
        for (;;) {
            const auto [code] = co_await self.events_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                                                                 weft::use_task_result);
            if (code) throw weft::error{weft::errc::cancelled, "inotify", code.message()};
            if (self.takes_events()) co_return;
        }
    }

    /** Reads what has happened. @return  Whether any of it matters. */
    bool takes_events()
    {
        alignas(inotify_event) std::array<char, 16 * 1024> read{};
        bool matters = false;
        for (;;) {
            const ssize_t size = ::read(events_.native_handle(), read.data(), read.size());
            if (size <= 0) return matters;
            for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
                inotify_event event{};
                std::memcpy(&event, read.data() + at, sizeof event);
                const char* const name = read.data() + at + sizeof event;
                // Events that were too many have no name, and those of the folder itself neither.
                matters = matters || event.len == 0 || concerns_(std::string_view{name, ::strnlen(name, event.len)});
                at += sizeof event + event.len;
            }
        }
    }

    boost::asio::posix::stream_descriptor events_;
    std::function<bool(std::string_view name)> concerns_;
};

}  // namespace

std::unique_ptr<change_source> make_polling_source() { return std::make_unique<polling_source>(); }

std::unique_ptr<change_source> make_inotify_source(boost::asio::io_context& context,
                                                   const std::vector<std::filesystem::path>& folders,
                                                   std::function<bool(std::string_view name)> concerns)
{
    const int descriptor = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (descriptor < 0) return nullptr;
    auto source = std::make_unique<inotify_source>(context, descriptor, std::move(concerns));
    for (const std::filesystem::path& folder : folders)
        if (::inotify_add_watch(descriptor, folder.c_str(), watched_events) < 0) return nullptr;
    return source;
}

}  // namespace weft_cli
