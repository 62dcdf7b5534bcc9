#pragma once

#include <weft/base/chrono.hpp>
#include <weft/base/text/span.hpp>
#include <weft/observe/otlp/otlp_options.hpp>
#include <weft/observe/trace/span_queue.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace weft {

/** Sends the spans of a queue to a receiver over OTLP/HTTP, on an OS thread of its own.
 *
 *  A receiver that is busy (429, 502, 503, 504) or away is asked again with the same batch, which meanwhile keeps its
 *  place; what else it refuses is lost, and counted. The queue stays bounded whatever the receiver does.
 *
 *  @par Thread safety   All operations from any OS thread.
 *  @par Lifetimes       The destructor waits for what is sent as long as `otlp_options::flush_for`.
 *  @par Source          OpenTelemetry Protocol 1.x, OTLP/HTTP: failures, throttling, partial success. */
class otlp_exporter {
public:
    /** Told of spans that are gone: `sent`, or `failed`. On the exporter's OS thread. */
    using count_function = std::function<void(std::string_view outcome, std::size_t spans)>;

    /** @par Errors   `errc::invalid_configuration`, `errc::invalid_url`. */
    explicit otlp_exporter(otlp_options options, count_function count = {});
    ~otlp_exporter();
    otlp_exporter(const otlp_exporter&) = delete;
    otlp_exporter& operator=(const otlp_exporter&) = delete;

    [[nodiscard]] span_queue& queue() noexcept;
    /** Sends what waits, and then no more; waits for that, or for `limit`. Again it does nothing.
     *  @return   Whether that came to its end in time. */
    bool close(std::chrono::nanoseconds limit);

private:
    struct part;
    std::unique_ptr<part> part_;
};

}  // namespace weft
