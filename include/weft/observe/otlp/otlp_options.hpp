#pragma once

#include <weft/async/retry_policy.hpp>
#include <weft/base/chrono.hpp>
#include <weft/base/environment.hpp>
#include <weft/net/http_client_options.hpp>
#include <weft/net/secret_string.hpp>
#include <weft/observe/otlp/otlp_spans.hpp>
#include <weft/observe/trace/trace_options.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/** How spans are written for a receiver. */
enum class otlp_format : std::uint8_t { protobuf, json };

/** Which receiver spans go to, over OTLP/HTTP, and how. The one place of these defaults. */
struct otlp_options {
    otlp_options() {}

    std::string url = "http://localhost:4318/v1/traces";
    otlp_format format = otlp_format::protobuf;
    /** Of each request; values are secrets, as of `Authorization`. */
    std::vector<std::pair<std::string, secret_string>> headers{};
    /** Lets headers go over `http://` to other machines, where they can be read on the way. */
    bool secrets_without_tls = false;
    otlp_resource resource{};
    std::chrono::nanoseconds timeout = std::chrono::seconds{10};  ///< Of one request.
    std::chrono::nanoseconds every = std::chrono::seconds{5};     ///< Between two batches, unless one is full before.
    std::size_t batch_max = 512;                                  ///< Spans of a request; at least 1.
    std::size_t queue_max = 2048;                                 ///< Spans that wait; further ones are dropped.
    std::size_t gzip_bytes_min = 1024;                            ///< Smaller bodies are not compressed. 0: none is.
    /** Attempts at a batch whose receiver is busy or away; its `Retry-After` goes before these delays. */
    retry_policy retry = {.attempts_max = 5, .initial = std::chrono::seconds{1}};
    std::chrono::nanoseconds flush_for = std::chrono::seconds{2}; ///< What waits at the end has so long to be sent.
    http_client_options client{};
    /** Told when batches are lost, at most once a minute. On the exporter's OS thread; null: nothing is. */
    std::function<void(std::string_view what)> on_error{};
};

/** What the environment says of telemetry, in the words of OpenTelemetry. */
struct otlp_environment {
    /** Nothing: no spans are sent. */
    std::optional<otlp_options> sending{};
    trace_options traces{};
};

/** Reads `OTEL_EXPORTER_OTLP_ENDPOINT`, `…_HEADERS`, `…_PROTOCOL` and `…_TIMEOUT`, each also with `TRACES` in its name,
 *  `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_TRACES_SAMPLER` and `…_ARG`, `OTEL_BSP_SCHEDULE_DELAY`,
 *  `OTEL_BSP_MAX_QUEUE_SIZE` and `OTEL_BSP_MAX_EXPORT_BATCH_SIZE`, `OTEL_SDK_DISABLED`, `OTEL_TRACES_EXPORTER`,
 *  `OTEL_SEMCONV_STABILITY_OPT_IN`, `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT`, and `WEFT_OTEL_DIALECT`,
 *  `WEFT_OTEL_KEEP_SLOW` (milliseconds).
 *
 *  @param url   Where spans go whatever the environment says: the base, to which `/v1/traces` is added unless it has a
 *               path. Empty: as the environment says, and without an endpoint nowhere.
 *  @param name  Of the service, unless the environment has one.
 *  @par Errors  `errc::invalid_configuration`, which names the variable.
 *  @par Source  OpenTelemetry: environment variables, 1.50; OTLP exporter configuration. */
[[nodiscard]] otlp_environment otlp_from(const environment_lookup& environment, std::string_view url,
                                         std::string_view name);

}  // namespace weft
