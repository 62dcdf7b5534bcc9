#include <weft/agent/chat_agent/abort_desk.hpp>

#include <utility>

namespace weft {

struct abort_desk::shared_part {
    struct place {
        std::uint64_t number;
        std::stop_source stop;
    };

    std::mutex lock;
    std::map<std::string, place> places;
    std::uint64_t last = 0;
};

abort_desk::abort_desk() : shared_{std::make_shared<shared_part>()} {}

abort_desk::claim abort_desk::take(const std::string& thread)
{
    std::stop_source mine;
    std::stop_source before{std::nostopstate};
    std::uint64_t number = 0;
    {
        const std::lock_guard guard{shared_->lock};
        number = ++shared_->last;
        const auto [at, is_new] = shared_->places.try_emplace(thread, shared_part::place{number, mine});
        if (!is_new) {
            before = std::exchange(at->second.stop, mine);
            at->second.number = number;
        }
    }
    before.request_stop();  // its callbacks may come back here
    return claim{shared_, thread, number, std::move(mine)};
}

bool abort_desk::abort(const std::string& thread)
{
    std::stop_source stop{std::nostopstate};
    {
        const std::lock_guard guard{shared_->lock};
        const auto found = shared_->places.find(thread);
        if (found == shared_->places.end()) return false;
        stop = found->second.stop;
    }
    stop.request_stop();
    return true;
}

std::size_t abort_desk::size() const
{
    const std::lock_guard guard{shared_->lock};
    return shared_->places.size();
}

abort_desk::claim::claim(std::shared_ptr<shared_part> desk, std::string thread, std::uint64_t number,
                         std::stop_source stop)
    : desk_{std::move(desk)}, thread_{std::move(thread)}, number_{number}, stop_{std::move(stop)}
{
}

abort_desk::claim::claim(claim&& other) noexcept
    : desk_{std::move(other.desk_)}, thread_{std::move(other.thread_)}, number_{other.number_},
      stop_{std::move(other.stop_)}
{
    other.desk_ = nullptr;
}

abort_desk::claim& abort_desk::claim::operator=(claim&& other) noexcept
{
    if (this == &other) return *this;
    release();
    desk_ = std::exchange(other.desk_, nullptr);
    thread_ = std::move(other.thread_);
    number_ = other.number_;
    stop_ = std::move(other.stop_);
    return *this;
}

bool abort_desk::claim::is_current() const
{
    if (!desk_) return false;
    const std::lock_guard guard{desk_->lock};
    const auto found = desk_->places.find(thread_);
    return found != desk_->places.end() && found->second.number == number_;
}

void abort_desk::claim::release() noexcept
{
    const std::shared_ptr<shared_part> desk = std::exchange(desk_, nullptr);
    if (!desk) return;
    const std::lock_guard guard{desk->lock};
    const auto found = desk->places.find(thread_);
    if (found != desk->places.end() && found->second.number == number_) desk->places.erase(found);
}

}  // namespace weft
