#pragma once

#include <weft/agent/speech_buffer.hpp>
#include <weft/async/loop_timer.hpp>
#include <weft/async/serial_loop.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace weft {

/** What a listener hands over: what somebody said, ready to be answered. */
struct speech_record {
    std::string thread{};
    std::string content{};
    std::int64_t timestamp = 0;  ///< Milliseconds since 1970.
    bool processed = false;      ///< For whoever keeps records.
    std::string handoff_type = "speech_buffer";
    speech_reason reason = speech_reason::waiting;

    friend bool operator==(const speech_record&, const speech_record&) = default;
};
BOOST_DESCRIBE_STRUCT(speech_record, (), (thread, content, timestamp, processed, handoff_type, reason))

/** Watches the clock for a `speech_buffer`: hands a text over as soon as the buffer says that it is ready, by a piece
 *  or by time alone.
 *
 *      weft::speech_listener ear{loop, "thread-1", [&](weft::speech_record said) { … }};
 *      ear.hear("could you");
 *
 *  @par Thread safety   None: it belongs to one loop, on which the function is called.
 *  @par Lifetimes       The loop outlives it. Its end drops what was not handed over; `flush` before that. The function
 *                       must not destroy it.
 *  @par Source          Sulla's stream buffer manager.
 */
class speech_listener {
public:
    using function = std::function<void(speech_record)>;

    speech_listener(serial_loop& loop, std::string thread, function hand_over, speech_limits limits = {});

    /** Takes a piece. @param is_last  Whoever listens knows that nothing follows.
     *  @return Whether the text was handed over. */
    bool hear(std::string_view piece, bool is_last = false);
    /** Hands over what there is. @return False if there is nothing. */
    bool flush();

    /** What was said so far; for looking at. */
    [[nodiscard]] const speech_buffer& buffer() const noexcept { return buffer_; }

private:
    [[nodiscard]] speech_buffer::moment now() const noexcept;
    bool act_on(speech_decision decision);
    void look();

    serial_loop& loop_;
    std::string thread_;
    function hand_over_;
    speech_limits limits_;
    speech_buffer buffer_;
    loop_timer timer_;
};

}  // namespace weft
