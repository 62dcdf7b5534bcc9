#pragma once

#include <weft/async/task.hpp>
#include <weft/chat/usage.hpp>

#include <cstddef>
#include <string_view>
#include <utility>

namespace weft {

/** Where a reply goes while it is being written. Every function does nothing unless overridden.
 *
 *  The views are valid during the call only: nothing is copied on the way. The functions are called on the loop of the
 *  run, one at a time, and must not block; what they throw ends the call and reaches the caller.
 *
 *  Deltas are for eyes and logs. Only the reply that `chat_model::reply` returns is whole; in particular, tool calls
 *  are executed from there and never from deltas.
 */
class chat_sink {
public:
    virtual ~chat_sink() = default;

    /** The model has begun to answer. Either text may be empty. */
    virtual void on_started(std::string_view /*id*/, std::string_view /*model*/) {}
    virtual void on_text(std::string_view /*piece*/) {}
    virtual void on_reasoning(std::string_view /*piece*/) {}
    virtual void on_refusal(std::string_view /*piece*/) {}

    /** A tool call begins. @param slot   Its place among the calls of this reply, from 0.
     *                        @param id     As far as known: some providers send it late or never. */
    virtual void on_tool_call(std::size_t /*slot*/, std::string_view /*id*/, std::string_view /*name*/) {}
    virtual void on_tool_arguments(std::size_t /*slot*/, std::string_view /*piece*/) {}

    /** What the call has used so far; each report replaces the one before. */
    virtual void on_usage(const usage& /*so_far*/) {}

    /** Forget all deltas so far: the call failed half-way and is made again. */
    virtual void on_retracted() {}

    /** Whether the sink wants no more for now; asked after each piece of the stream. Then `wait_for_room` is awaited,
     *  nothing more is read, and the provider feels it through TCP. */
    [[nodiscard]] virtual bool is_full() const noexcept { return false; }
    [[nodiscard]] virtual task<> wait_for_room() { co_return; }

protected:
    chat_sink() = default;
    chat_sink(const chat_sink&) = default;
    chat_sink& operator=(const chat_sink&) = default;
};

/** For callers who want the whole reply only. */
class no_sink final : public chat_sink {};

/** Gives every piece of the text to a function.
 *
 *      weft::text_sink print{[](std::string_view piece) { std::cout << piece << std::flush; }};
 */
template <class F>
class text_sink final : public chat_sink {
public:
    explicit text_sink(F on_piece) : on_piece_{std::move(on_piece)} {}
    void on_text(std::string_view piece) override { on_piece_(piece); }

private:
    F on_piece_;
};

}  // namespace weft
