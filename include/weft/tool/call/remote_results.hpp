#pragma once

#include <weft/base/list.hpp>
#include <weft/chat/message.hpp>
#include <weft/tool/tool_result.hpp>

#include <string_view>
#include <vector>

namespace weft {

/** The calls of the assistant's last message that no `tool` message behind it answers. */
[[nodiscard]] std::vector<tool_call> open_tool_calls(const list<message>& conversation);

/** Takes the results of calls that another program carries out, for a run that is paused until they are there.
 *
 *      weft::remote_results results{paused.state.get(messages)};
 *      if (!results.post("call_7", weft::tool_result::text("12 °C"))) …   // no such call, or answered already
 *      weft::run_request again;
 *      again.resume(paused.paused_at).input(messages, results.messages().front());
 *      … engine.run(std::move(again));
 *
 *  @par Thread safety   As a value. */
class remote_results {
public:
    /** @param conversation   Of the paused run. */
    explicit remote_results(const list<message>& conversation) : open_{open_tool_calls(conversation)} {}

    /** Takes a result as `neutral_text`, shortened to `chars_max` code points.
     *  @return   False if no such call is open: unknown, or answered already. */
    [[nodiscard]] bool post(std::string_view call_id, tool_result result, std::size_t chars_max = 30'000);

    /** The calls that still have no result. */
    [[nodiscard]] const std::vector<tool_call>& open() const noexcept { return open_; }
    /** The messages to add to the conversation, in the order in which they were posted. */
    [[nodiscard]] const std::vector<message>& messages() const noexcept { return messages_; }

private:
    std::vector<tool_call> open_;
    std::vector<message> messages_;
};

}  // namespace weft
