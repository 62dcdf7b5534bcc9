#pragma once

#include <weft/base/chrono.hpp>
#include <weft/base/text/span.hpp>

#include <cstddef>
#include <functional>
#include <string>

namespace weft {

/** Which runs are sent: those that the caller, or else the ratio, chooses, and those that fail or take long. */
struct trace_sampling {
    /** A caller that has decided for its trace decides for the runs that belong to it (`sampled` of `traceparent`). */
    bool follows_caller = true;
    double ratio = 1;          ///< Of all traces, from 0 to 1; by the digits of the trace, so that all processes agree.
    bool keeps_failed = true;  ///< Runs that fail are sent in any case.
    /** So are runs that take longer. 0: none is sent for that. */
    std::chrono::nanoseconds keeps_slower_than{0};
};

/** What spans say, and which are sent.
 *
 *      trace_options traces;
 *      traces.has_content = true;
 *      traces.redact = [&](span_key, std::string text) { return scrubber.scrub(std::move(text)); };
 */
struct trace_options {
    trace_sampling sampling{};
    /** Spans have what people, models and tools have said: messages, arguments, results, texts of errors. */
    bool has_content = false;
    /** Changes what was said before anything keeps it, such as to take secrets out. On the loops of runs, at the same
     *  time on several; null: it stays as it is. */
    std::function<std::string(span_key key, std::string text)> redact{};
    std::size_t content_bytes_max = 8 * 1024;  ///< Of one attribute; the rest is cut.
    std::size_t spans_per_run_max = 4096;      ///< That wait for the end of their run; further ones are dropped.
};

}  // namespace weft
