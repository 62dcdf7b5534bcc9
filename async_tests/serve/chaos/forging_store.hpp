#pragma once

#include <weft/base/error.hpp>
#include <weft/store/role/forwarding_store.hpp>

#include <chrono>
#include <utility>

namespace stream_chaos {

/** A store without a fence: a worker that once had a thread writes it for ever, and none hears that it was given up.
 *  A course of trouble has to find the damage. */
class forging_store final : public weft::forwarding_store {
public:
    /** @param lifetime   What the store is told of each worker, whatever the worker believes. */
    forging_store(weft::checkpoint_store& inner, std::chrono::milliseconds lifetime) noexcept
        : forwarding_store{inner}, lifetime_{lifetime}
    {
    }

    using worker_registry::enter;
    weft::task<weft::worker_id> enter(weft::worker_entry entry) override
    {
        entry.lifetime = lifetime_;
        co_return co_await forwarding_store::enter(std::move(entry));
    }
    weft::task<weft::heartbeat_report> heartbeat(weft::worker_id worker, std::chrono::milliseconds) override
    {
        weft::heartbeat_report report = co_await forwarding_store::heartbeat(worker, lifetime_);
        report.is_alive = true;
        co_return report;
    }
    weft::task<weft::commit_result> commit(weft::write_fence fence, weft::checkpoint_draft draft) override
    {
        weft::write_fence forged = co_await forge(std::move(fence));
        co_return co_await forwarding_store::commit(std::move(forged), std::move(draft));
    }
    weft::task<weft::write_state> record(weft::write_fence fence, weft::effect_record effect) override
    {
        weft::write_fence forged = co_await forge(std::move(fence));
        co_return co_await forwarding_store::record(std::move(forged), std::move(effect));
    }
    weft::task<weft::write_state> finish(weft::write_fence fence, weft::run_outcome outcome) override
    {
        weft::write_fence forged = co_await forge(std::move(fence));
        co_return co_await forwarding_store::finish(std::move(forged), std::move(outcome));
    }

private:
    /** The fence that would be let through. */
    weft::task<weft::write_fence> forge(weft::write_fence fence)
    {
        const auto head = co_await inner().load(fence.thread, std::nullopt);
        const auto run = co_await inner().find_run(fence.run);
        fence.head = head ? head->sequence : 0;
        if (run) fence.epoch = run->epoch;
        co_return fence;
    }

    std::chrono::milliseconds lifetime_;
};

}  // namespace stream_chaos
