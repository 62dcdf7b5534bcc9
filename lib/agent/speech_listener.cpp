#include <weft/agent/speech_listener.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace weft {

speech_listener::speech_listener(serial_loop& loop, std::string thread, function hand_over, speech_limits limits)
    : loop_{loop}, thread_{std::move(thread)}, hand_over_{std::move(hand_over)}, limits_{limits},
      timer_{loop, [](void* self) { static_cast<speech_listener*>(self)->look(); }, this}
{
}

bool speech_listener::hear(std::string_view piece, bool is_last)
{
    return act_on(buffer_.add(piece, now(), limits_, is_last));
}

bool speech_listener::flush() { return act_on(buffer_.flush()); }

speech_buffer::moment speech_listener::now() const noexcept
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(loop_.now().time_since_epoch());
}

void speech_listener::look() { (void)act_on(buffer_.look(now(), limits_)); }

bool speech_listener::act_on(speech_decision decision)
{
    if (timer_.is_armed()) timer_.disarm();
    const auto next = buffer_.next_look(limits_);
    // At least a tick on: a look that is not yet due must not come again in the same moment.
    if (next) timer_.arm_after(std::max(*next - now(), std::chrono::milliseconds{1}));
    if (!decision.is_ready()) return false;
    speech_record record;
    record.thread = thread_;
    record.content = std::move(decision.content);
    record.reason = decision.reason;
    const auto wall = loop_.clock().system_now().time_since_epoch();
    record.timestamp = std::chrono::duration_cast<std::chrono::milliseconds>(wall).count();
    if (hand_over_) hand_over_(std::move(record));
    return true;
}

}  // namespace weft
