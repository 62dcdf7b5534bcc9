#pragma once

#include <weft/base/text/span.hpp>
#include <weft/observe/otlp/span_names.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/** What spans are sent in the name of. */
struct otlp_resource {
    std::vector<std::pair<std::string, std::string>> attributes = {};  ///< `service.name` among them.
    span_dialect dialect = span_dialect::v1_41;
};

/** Spans as an `ExportTraceServiceRequest` of protobuf. @par Source  opentelemetry-proto 1.x */
[[nodiscard]] std::string otlp_protobuf(std::span<const span> spans, const otlp_resource& by);
/** The same as JSON: ids are hexadecimal digits, numbers of 64 bits texts. */
[[nodiscard]] std::string otlp_json(std::span<const span> spans, const otlp_resource& by);

/** What a receiver has refused of what it took (`partial_success`). */
struct otlp_rejection {
    std::int64_t spans = 0;
    std::string message = {};  ///< Why; may be there though all spans were taken: a warning.
};

/** Reads the body of a good answer. What cannot be read says that nothing was refused. */
[[nodiscard]] otlp_rejection otlp_rejection_in(std::string_view body, bool is_json);

}  // namespace weft
