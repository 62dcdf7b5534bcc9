#pragma once

#include <weft/base/chrono.hpp>
#include <weft/store/role/announcing_store.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace weft {

namespace sqlite_detail {
class core;
}

/** The workers of a `sqlite_store`, which rests on this.
 *
 *  Errors, cancellation, thread safety and lifetimes are those of `sqlite_store`.
 */
class sqlite_worker_registry : public announcing_store {
public:
    using worker_registry::enter;
    [[nodiscard]] task<worker_id> enter(worker_entry entry) override;
    [[nodiscard]] task<heartbeat_report> heartbeat(worker_id worker, std::chrono::milliseconds lifetime) override;
    [[nodiscard]] task<bool> change_graphs(worker_id worker, std::vector<graph_ability> graphs) override;
    [[nodiscard]] task<void> leave(worker_id worker) override;
    [[nodiscard]] task<std::size_t> reap(std::size_t runs_max) override;

protected:
    explicit sqlite_worker_registry(std::unique_ptr<sqlite_detail::core> core);
    ~sqlite_worker_registry() override;

    std::unique_ptr<sqlite_detail::core> core_;
};

}  // namespace weft
