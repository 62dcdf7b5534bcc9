#pragma once

#include <weft/base/memory/free_list.hpp>
#include <weft/engine/scheduler/frontier.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/node/joined_branches.hpp>

#include <atomic>
#include <cstddef>
#include <optional>
#include <utility>

namespace weft {

/** How the branches of one fan-out ended. Of branches that all succeeded, as most do, the list is made by its first
 *  reader. */
class fan_out_results final : public joined_branches {
public:
    /** Of a fan-out that is closed. Takes from it where its branches began; how they ended must still be there. */
    fan_out_results(const graph& of, region& closed);
    /** As a checkpoint has them. */
    explicit fan_out_results(branch_results known) : known_{new branch_results(std::move(known))} {}
    ~fan_out_results() override { delete known_.load(std::memory_order_acquire); }

    [[nodiscard]] const branch_results& results() const override;

    static void* operator new(std::size_t size) { return allocate_block(size); }
    static void operator delete(void* block, std::size_t size) noexcept { free_block(block, size); }

private:
    std::optional<graph> of_;  // has the names; set while the list is not made
    branch_starts starts_;
    mutable std::atomic<const branch_results*> known_{nullptr};
};

}  // namespace weft
