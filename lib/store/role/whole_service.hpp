#pragma once

#include <weft/async/wait/local_rates.hpp>
#include <weft/store/service_store.hpp>

namespace weft::store_detail {

/** A service whose roles are one object: that of a store which does everything in one place. */
class whole_service : public service_store,
                      public run_event_log,
                      public run_directory,
                      public thread_directory,
                      public document_store,
                      public queue_view {
public:
    [[nodiscard]] run_event_log& run_events() noexcept final { return *this; }
    [[nodiscard]] run_directory& runs() noexcept final { return *this; }
    [[nodiscard]] thread_directory& threads() noexcept final { return *this; }
    [[nodiscard]] document_store& documents() noexcept final { return *this; }
    [[nodiscard]] queue_view& queue() noexcept final { return *this; }
    [[nodiscard]] shared_rates& rates() noexcept final { return rates_; }

private:
    local_rates rates_;
};

}  // namespace weft::store_detail
