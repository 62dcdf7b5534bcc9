#pragma once

#include <weft/store/record/store_model.hpp>
#include <weft/store/service_store.hpp>

#include <mutex>

namespace weft {

/** The roles of a service on the tables of a `memory_store`, under its lock.
 *
 *  @par Lifetimes   The lock and the model outlive it.
 */
class memory_service final : public service_store,
                             public run_event_log,
                             public run_directory,
                             public thread_directory,
                             public document_store {
public:
    memory_service(std::mutex& mutex, store_model& model) noexcept : mutex_{mutex}, model_{model} {}

    [[nodiscard]] run_event_log& run_events() noexcept override { return *this; }
    [[nodiscard]] run_directory& runs() noexcept override { return *this; }
    [[nodiscard]] thread_directory& threads() noexcept override { return *this; }
    [[nodiscard]] document_store& documents() noexcept override { return *this; }

    [[nodiscard]] task<event_append> append(write_fence by, std::vector<event_draft> events,
                                            event_log_limits limits) override;
    [[nodiscard]] task<event_page> read(run_id run, std::uint64_t after, std::size_t count_max) override;

    [[nodiscard]] task<bool> write(std::vector<document_change> changes) override;
    [[nodiscard]] task<std::optional<stored_document>> read(document_key key) override;
    [[nodiscard]] task<document_page> search(document_query query) override;
    [[nodiscard]] task<std::size_t> count(document_query query) override;
    [[nodiscard]] task<std::vector<stored_document>> take_due(std::string kind, std::chrono::milliseconds lease,
                                                              std::size_t count_max) override;
    [[nodiscard]] task<std::size_t> erase_due(std::string kind, std::size_t count_max) override;

    [[nodiscard]] task<run_page> search(run_query query) override;
    [[nodiscard]] task<std::size_t> count(run_query query) override;

    [[nodiscard]] task<bool> create(thread_key thread, std::string metadata) override;
    [[nodiscard]] task<bool> copy(thread_key from, thread_key to, checkpoint_id id) override;
    [[nodiscard]] task<std::optional<stored_thread>> find(thread_key thread) override;
    [[nodiscard]] task<bool> update(thread_key thread, thread_change change) override;
    [[nodiscard]] task<thread_page> search(thread_query query) override;
    [[nodiscard]] task<std::size_t> count(thread_query query) override;

private:
    template <class Decide>
    auto locked(const Decide& decide)
    {
        const std::lock_guard lock{mutex_};
        return decide(model_);
    }

    std::mutex& mutex_;
    store_model& model_;
};

}  // namespace weft
