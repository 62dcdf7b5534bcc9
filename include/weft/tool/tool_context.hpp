#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>

namespace weft {

class node_context;

/** What a tool is told beside its arguments; the model neither sees nor chooses any of it.
 *
 *  @par Thread safety   None: it belongs to the loop of the call.
 *  @par Lifetimes       `node` and `progress` are valid until the call has ended.
 */
class tool_context {
public:
    tool_context() {}

    std::string call_id;      ///< Of the model's call.
    std::string idempotency_key;  ///< For whatever the tool does, the same in every attempt; by default the `call_id`.
    std::string tool;         ///< The name that the model used.
    std::string thread;       ///< The thread (conversation) of the run; empty outside a run.
    unsigned attempt = 1;     ///< Greater when an idempotent tool is tried again.
    std::stop_token stop;     ///< Follows the call: its timeout, the stop of the run.
    node_context* node = nullptr;  ///< To read the state of the run; null outside a graph. Write by the result.

    /** Takes what `emit` says; may be empty. */
    std::function<void(std::string_view kind, std::string_view text)> progress;
    /** Whether anything reads the texts that `progress` takes; may be empty: they are read. */
    std::function<bool()> is_watched;

    /** Tells watchers what the tool is doing. */
    void emit(std::string_view kind, std::string_view text) const
    {
        if (progress) progress(kind, text);
    }
    /** The same with a text that is made only if it is read: `make` is called once, or not at all. */
    template <class Make>
        requires std::is_invocable_r_v<std::string, Make>
    void emit(std::string_view kind, Make&& make) const
    {
        if (progress) progress(kind, !is_watched || is_watched() ? std::string{make()} : std::string{});
    }
    void emit(std::string_view text) const { emit("progress", text); }
};

}  // namespace weft
