#pragma once

#include "serve_core.hpp"

#include <weft/observe/telemetry/telemetry.hpp>

#include <string_view>

namespace weft::serve_detail {

/** A stream of events that a client has open: counts in `weft_streams` for as long as it is there.
 *
 *  @par Lifetimes   The core outlives it. */
class open_stream {
public:
    open_stream(const serve_core& core, std::string_view protocol)
        : series_{core.options.telemetry ? &core.options.telemetry->metrics().streams.at({protocol}) : nullptr}
    {
        if (series_) series_->add(1);
    }
    ~open_stream()
    {
        if (series_) series_->add(-1);
    }
    open_stream(const open_stream&) = delete;
    open_stream& operator=(const open_stream&) = delete;

private:
    metric_series* const series_;
};

}  // namespace weft::serve_detail
