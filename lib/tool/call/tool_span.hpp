#pragma once

#include <weft/base/text/trace_context.hpp>
#include <weft/tool/call/tool_turn.hpp>
#include <weft/tool/tool_runner.hpp>

#include <cstdint>
#include <memory>

namespace weft::tool_detail {

/** The span of a call of a tool, where its node's trace is recorded. */
class tool_span {
public:
    explicit tool_span(const tool_invocation& call);

    [[nodiscard]] bool is_recorded() const noexcept { return trace_ != nullptr; }

    /** @param call   As it was carried out: its key names the span, so that what the tool calls by that key follows
     *                from it. */
    void end(const tool_invocation& call, const tool_answer& answer);

private:
    std::shared_ptr<const trace_context> trace_;  // null: the call is not recorded
    std::int64_t start_ = 0;
};

}  // namespace weft::tool_detail
