#pragma once

#include <weft/agent/event_loop/loop_memory.hpp>
#include <weft/agent/event_loop/loop_output.hpp>
#include <weft/agent/text/named_text.hpp>
#include <weft/chat/tool_call.hpp>
#include <weft/chat/tool_spec.hpp>
#include <weft/tool/call/spill_store.hpp>
#include <weft/tool/tool_result.hpp>
#include <weft/tool/tool_set.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** Which tools an event loop has for itself. */
struct loop_tool_options {
    std::vector<event_loop_output> outputs = {};
    bool faces_client = false;               ///< It may ask a person.
    bool is_sub_agent = false;               ///< It reports to another agent, and delegates nothing.
    std::vector<named_text> agents = {};     ///< Those that it may delegate to, and when to.
    std::size_t output_chars_max = 2'000;
    std::shared_ptr<spill_store> spill = {};  ///< Where longer outputs go; null: they stay as they are.
};

/** What came of a call of such a tool. */
struct loop_tool_answer {
    tool_result result{};
    bool is_open = false;      ///< The result is still to come: from a sub-agent, or from a person.
    std::string event{};       ///< For watchers; empty: nothing.
    std::string event_text{};
};

/** The tools by which a model steers its event loop. They change the loop's memory and nothing else.
 *
 *  | tool | for | it |
 *  |---|---|---|
 *  | `set_output` | loops with outputs | gives a value to a key; a text that is JSON is read as JSON |
 *  | `ask_user` | loops that face the client | asks a person before the next turn; options are two or three |
 *  | `ask_user_multiple` | the same | asks two to eight questions at once |
 *  | `escalate` | all but sub-agents | gives up: the node fails, and its failure edges apply |
 *  | `delegate_to_sub_agent` | loops with sub-agents | hands a task over; the result is that of the call |
 *  | `report_to_parent` | sub-agents | tells the agent above something, and may end the work |
 *
 *  A loop that does not face the client has `ask_user` and `ask_user_multiple` too, without offering them: a call
 *  of them is answered with a note that no client is there.
 *
 *  @par Thread safety   As a value; what is const may be called from any OS thread, if the spill store may.
 *  @par Source          Hive's synthetic tools.
 */
class loop_tools {
public:
    explicit loop_tools(loop_tool_options options = {});

    /** What the model is offered. */
    [[nodiscard]] const std::vector<tool_spec>& specs() const noexcept { return offered_; }
    [[nodiscard]] bool has(std::string_view name) const noexcept { return find(name) != nullptr; }
    /** Carries out a call of one of these tools. Never throws for what the model wrote: that is an error result. */
    [[nodiscard]] loop_tool_answer call(const tool_call& call, event_loop_memory& memory) const;
    [[nodiscard]] const loop_tool_options& options() const noexcept { return options_; }

private:
    using function = loop_tool_answer (loop_tools::*)(const tool_call&, boost::json::object&, event_loop_memory&) const;
    struct own_tool {
        tool_entry entry;
        function work;
    };

    void add(tool_spec spec, function work, bool is_offered = true);
    [[nodiscard]] const own_tool* find(std::string_view name) const noexcept;

    loop_tool_answer set_output(const tool_call&, boost::json::object& arguments, event_loop_memory& memory) const;
    loop_tool_answer ask_user(const tool_call&, boost::json::object& arguments, event_loop_memory& memory) const;
    loop_tool_answer ask_user_multiple(const tool_call&, boost::json::object& arguments,
                                       event_loop_memory& memory) const;
    loop_tool_answer escalate(const tool_call&, boost::json::object& arguments, event_loop_memory& memory) const;
    loop_tool_answer delegate(const tool_call&, boost::json::object& arguments, event_loop_memory& memory) const;
    loop_tool_answer report(const tool_call&, boost::json::object& arguments, event_loop_memory& memory) const;
    [[nodiscard]] loop_tool_answer ask(loop_ask asked, event_loop_memory& memory) const;
    [[nodiscard]] boost::json::value spilled_output(const event_loop_output& output, boost::json::value value) const;

    loop_tool_options options_;
    std::vector<own_tool> tools_;
    std::vector<tool_spec> offered_;
};

}  // namespace weft
