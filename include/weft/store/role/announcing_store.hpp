#pragma once

#include <weft/store/checkpoint_store.hpp>
#include <weft/store/role/store_news.hpp>
#include <weft/store/service_store.hpp>

#include <memory>
#include <utility>

namespace weft {

/** A store that has news, and the events of runs beside their checkpoints: the base of stores that announce what is
 *  written through them.
 *
 *  @par Thread safety   `news` from any OS thread. */
class announcing_store : public checkpoint_store {
public:
    [[nodiscard]] store_news* news() noexcept final { return news_; }
    [[nodiscard]] run_event_log* event_log() noexcept final { return log_; }

protected:
    /** With news of its own. */
    announcing_store(hash_key key, store_news::links to)
        : own_{std::make_unique<store_news>(key, std::move(to))}, news_{own_.get()}
    {
    }
    /** @param news  Outlive it. */
    explicit announcing_store(store_news& news) noexcept : news_{&news} {}

    /** Commits take events for the log of this service. */
    void use_log_of(service_store& service) noexcept { log_ = &service.run_events(); }

private:
    std::unique_ptr<store_news> own_;
    store_news* news_;
    run_event_log* log_ = nullptr;
};

}  // namespace weft
