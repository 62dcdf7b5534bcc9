#pragma once

#include <weft/model/chat_sink.hpp>

#include <cstddef>
#include <string_view>

namespace weft {

/** Hands everything on: the base of sinks that watch or change some of it.
 *
 *  @par Lifetimes   The target outlives it. */
class forwarding_sink : public chat_sink {
public:
    explicit forwarding_sink(chat_sink& target) noexcept : target_{target} {}

    void on_started(std::string_view id, std::string_view model) override { target_.on_started(id, model); }
    void on_text(std::string_view piece) override { target_.on_text(piece); }
    void on_reasoning(std::string_view piece) override { target_.on_reasoning(piece); }
    void on_refusal(std::string_view piece) override { target_.on_refusal(piece); }
    void on_tool_call(std::size_t slot, std::string_view id, std::string_view name) override
    {
        target_.on_tool_call(slot, id, name);
    }
    void on_tool_arguments(std::size_t slot, std::string_view piece) override
    {
        target_.on_tool_arguments(slot, piece);
    }
    void on_usage(const usage& so_far) override { target_.on_usage(so_far); }
    void on_retracted() override { target_.on_retracted(); }
    [[nodiscard]] bool is_full() const noexcept override { return target_.is_full(); }
    [[nodiscard]] task<> wait_for_room() override { return target_.wait_for_room(); }

private:
    chat_sink& target_;
};

}  // namespace weft
