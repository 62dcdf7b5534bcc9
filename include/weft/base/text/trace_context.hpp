#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weft {

/** The trace that a call belongs to, as it goes from one service to the next: two headers of HTTP.
 *
 *      const auto context = weft::trace_context::read(headers.find("traceparent").value_or(""), "");
 *      if (context) request.trace(*context);
 *
 *  weft passes traces on and records none: the caller's trace is that of all calls that its run makes.
 *
 *  @par Source   W3C Trace Context, version 00; later versions are read as it says. */
struct trace_context {
    std::string parent = {};  ///< `traceparent`: `00-<32 digits of the trace>-<16 of the span>-<2 of the flags>`.
    std::string state = {};   ///< `tracestate`, as it came; empty: none.

    /** What headers say; nothing if `parent` is none, and then `state` means nothing either. A `state` of more than 512
     *  bytes or 32 members is left out. */
    [[nodiscard]] static std::optional<trace_context> read(std::string_view parent, std::string_view state);
    /** A trace that begins with a call. @param key   The call's idempotency key, which names the trace. */
    [[nodiscard]] static trace_context begun_by(std::string_view key);

    /** `traceparent` of a call: the same trace, with a span of the call's own. The same key gives the same span, so
     *  that a call that is made again after a crash is the same one; without a key it is `parent`. */
    [[nodiscard]] std::string parent_of_call(std::string_view key) const;

    /** What goes along with a call: the trace that its run belongs to, or else one that begins with the call.
     *  @param run   Null: the run belongs to none. */
    [[nodiscard]] static trace_context of_call(const trace_context* run, std::string_view key);

    friend bool operator==(const trace_context&, const trace_context&) = default;
};

}  // namespace weft
