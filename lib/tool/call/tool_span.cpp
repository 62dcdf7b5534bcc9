#include "tool_span.hpp"

#include <weft/graph/node_context.hpp>

#include <utility>

namespace weft::tool_detail {

tool_span::tool_span(const tool_invocation& call)
{
    if (!call.context.node) return;
    trace_ = call.context.node->trace();
    if (trace_ && !trace_->recorder) trace_.reset();
    if (trace_) start_ = trace_->recorder->now();
}

void tool_span::end(const tool_invocation& call, const tool_answer& answer)
{
    if (!trace_) return;
    span_recorder& recorder = *trace_->recorder;
    span done{.name = "execute_tool " + answer.call.name, .place = trace_->place(), .start = start_};
    done.parent = done.place.span;
    done.place.span = trace_context::of_call(trace_.get(), call.context.idempotency_key).place().span;
    done.end = recorder.now();
    done.has_failed = answer.status != tool_status::success && answer.status != tool_status::remote;
    done.say(span_key::operation, "execute_tool").say(span_key::tool, answer.call.name);
    done.say(span_key::tool_type, "function").say(span_key::tool_call, answer.call.id);
    if (done.has_failed) done.say(span_key::error_type, name_of(answer.status));
    if (recorder.wants_content())
        done.say(span_key::tool_arguments, answer.call.arguments)
            .say(span_key::tool_result, answer.to_message().text());
    recorder.record(std::move(done));
    trace_.reset();
}

}  // namespace weft::tool_detail
