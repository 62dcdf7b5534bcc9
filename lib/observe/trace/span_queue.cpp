#include <weft/observe/trace/span_queue.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace weft {

span_queue::span_queue(std::size_t max, std::size_t batch, std::function<void()> on_batch)
    : max_{max}, batch_{batch}, on_batch_{std::move(on_batch)}
{
}

std::size_t span_queue::add(std::vector<span> spans)
{
    std::size_t lost = 0;
    bool is_batch = false;
    {
        const std::lock_guard lock{changing_};
        const std::size_t taken = std::min(spans.size(), max_ - spans_.size());
        const auto end = spans.begin() + static_cast<std::ptrdiff_t>(taken);
        is_batch = spans_.size() < batch_ && spans_.size() + taken >= batch_;
        if (spans_.empty()) spans_.reserve(std::min(batch_, max_));  // growing moves what waits
        spans_.insert(spans_.end(), std::make_move_iterator(spans.begin()), std::make_move_iterator(end));
        lost = spans.size() - taken;
        dropped_ += lost;
    }
    // Without the lock: it may wake an OS thread that wants the lock at once.
    if (is_batch && on_batch_) on_batch_();
    return lost;
}

std::vector<span> span_queue::take(std::size_t max)
{
    const std::lock_guard lock{changing_};
    if (spans_.size() <= max) return std::exchange(spans_, {});
    const auto end = spans_.begin() + static_cast<std::ptrdiff_t>(max);
    std::vector<span> taken{std::make_move_iterator(spans_.begin()), std::make_move_iterator(end)};
    spans_.erase(spans_.begin(), end);
    return taken;
}

std::size_t span_queue::waiting() const
{
    const std::lock_guard lock{changing_};
    return spans_.size();
}

std::uint64_t span_queue::dropped() const
{
    const std::lock_guard lock{changing_};
    return dropped_;
}

}  // namespace weft
