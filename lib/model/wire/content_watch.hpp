#pragma once

#include <weft/base/clock.hpp>
#include <weft/base/error.hpp>
#include <weft/model/chat_sink.hpp>

#include <chrono>
#include <cstddef>
#include <string_view>

namespace weft::model_detail {

/** How long a stream may go without an answer in it. */
struct content_waits {
    std::chrono::nanoseconds first_max{};  ///< From the head of the response to the first piece.
    std::chrono::nanoseconds gap_max{};    ///< Between two pieces.
};

/** Hands a reply on to the caller's sink and knows when its last piece came. Pings, empty events and reports of usage
 *  are no pieces.
 *
 *  @par Lifetimes   The target outlives it. */
class content_watch final : public chat_sink {
public:
    content_watch(chat_sink& target, content_waits waits, time_point now) noexcept
        : target_{target}, waits_{waits}, last_{now}
    {
    }

    /** How long the next piece may still take; 0 when its time is up. */
    [[nodiscard]] std::chrono::nanoseconds left(time_point now) const noexcept;
    /** What was fed came at this time. */
    void fed(time_point now) noexcept;
    /** Time that the caller took does not count. */
    void resume(time_point now) noexcept { last_ = now; }
    /** Why the stream is given up when nothing is left. */
    [[nodiscard]] error expired() const;

    void on_started(std::string_view id, std::string_view model) override { target_.on_started(id, model); }
    void on_text(std::string_view piece) override { has_news_ = true, target_.on_text(piece); }
    void on_reasoning(std::string_view piece) override { has_news_ = true, target_.on_reasoning(piece); }
    void on_refusal(std::string_view piece) override { has_news_ = true, target_.on_refusal(piece); }
    void on_tool_call(std::size_t slot, std::string_view id, std::string_view name) override
    {
        has_news_ = true, target_.on_tool_call(slot, id, name);
    }
    void on_tool_arguments(std::size_t slot, std::string_view piece) override
    {
        has_news_ = true, target_.on_tool_arguments(slot, piece);
    }
    void on_usage(const usage& so_far) override { target_.on_usage(so_far); }
    void on_retracted() override { target_.on_retracted(); }
    [[nodiscard]] bool is_full() const noexcept override { return target_.is_full(); }
    [[nodiscard]] task<> wait_for_room() override { return target_.wait_for_room(); }

private:
    chat_sink& target_;
    content_waits waits_;
    time_point last_;
    bool has_news_ = false;
    bool has_begun_ = false;
};

}  // namespace weft::model_detail
