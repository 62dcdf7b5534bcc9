#pragma once

#include <weft/base/chrono.hpp>
#include <weft/store/role/announcing_store.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace weft {

namespace postgres_detail {
class claim_watermark;
class pg_core;
}  // namespace postgres_detail

/** The workers of a `postgres_store`, which rests on this.
 *
 *  Errors, cancellation, thread safety and lifetimes are those of `postgres_store`.
 */
class postgres_worker_registry : public announcing_store {
public:
    using worker_registry::enter;
    [[nodiscard]] task<worker_id> enter(worker_entry entry) override;
    [[nodiscard]] task<heartbeat_report> heartbeat(worker_id worker, std::chrono::milliseconds lifetime) override;
    [[nodiscard]] task<bool> change_graphs(worker_id worker, std::vector<graph_ability> graphs) override;
    [[nodiscard]] task<void> leave(worker_id worker) override;
    [[nodiscard]] task<std::size_t> reap(std::size_t runs_max) override;

protected:
    explicit postgres_worker_registry(std::unique_ptr<postgres_detail::pg_core> core);
    ~postgres_worker_registry() override;

    std::unique_ptr<postgres_detail::pg_core> core_;
    std::unique_ptr<postgres_detail::claim_watermark> watermark_;
};

}  // namespace weft
