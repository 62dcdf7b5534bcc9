#pragma once

#include <weft/base/text/span.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

/** The trace that a call belongs to, as it goes from one service to the next: two headers of HTTP.
 *
 *      const auto context = weft::trace_context::read(headers.find("traceparent").value_or(""), "");
 *      if (context) request.trace(*context);
 *
 *  The caller's trace is that of all calls that its run makes. Where spans are recorded (`recorder`), each run, visit
 *  of a node and call has a span of its own, and `parent` names the innermost.
 *
 *  @par Source   W3C Trace Context, version 00; later versions are read as it says. */
struct trace_context {
    std::string parent = {};  ///< `traceparent`: `00-<32 digits of the trace>-<16 of the span>-<2 of the flags>`.
    std::string state = {};   ///< `tracestate`, as it came; empty: none.
    /** Takes the spans of what happens here; null: none is recorded. Then `parent` may be empty: spans count in metrics
     *  only, and no trace goes along with calls. */
    std::shared_ptr<span_recorder> recorder = {};
    bool is_of_call = false;  ///< The innermost span is that of a call of a model.

    /** What headers say; nothing if `parent` is none, and then `state` means nothing either. A `state` of more than 512
     *  bytes or 32 members is left out. */
    [[nodiscard]] static std::optional<trace_context> read(std::string_view parent, std::string_view state);
    /** A trace that begins with a call. @param key   The call's idempotency key, which names the trace. */
    [[nodiscard]] static trace_context begun_by(std::string_view key);

    /** `traceparent` of a call: the same trace, with a span of the call's own. The same key gives the same span, so
     *  that a call that is made again after a crash is the same one; without a key, or a trace, it is `parent`. */
    [[nodiscard]] std::string parent_of_call(std::string_view key) const;

    /** What goes along with a call: the trace that its run belongs to, or else one that begins with the call.
     *  @param run   Null: the run belongs to none. */
    [[nodiscard]] static trace_context of_call(const trace_context* run, std::string_view key);

    /** The trace of a run, or of one that belongs to none a trace that begins with the call; recorded as the run's. */
    [[nodiscard]] static std::shared_ptr<const trace_context> of_run_or_call(std::shared_ptr<const trace_context> run,
                                                                             std::string_view key);
    /** The trace that a part of a run has: that of its caller, or else one that the id of the run names, so that all
     *  parts have the same. Its span is that of this part, and the same whenever it is asked for.
     *  @param caller   Null: none. */
    [[nodiscard]] static trace_context of_run(const trace_context* caller, std::string_view run, std::uint32_t part);
    /** The same with another span as the innermost. */
    [[nodiscard]] trace_context within(std::uint64_t span) const;
    /** All zero without a trace. */
    [[nodiscard]] span_place place() const noexcept;
    [[nodiscard]] bool is_sampled() const noexcept;
    void set_sampled(bool is) noexcept;

    friend bool operator==(const trace_context&, const trace_context&) = default;
};

}  // namespace weft
