#pragma once

#include "claimed_heads.hpp"
#include "pg_lane.hpp"
#include "pg_news.hpp"
#include "pg_settings.hpp"
#include "sql_call.hpp"

#include <weft/store/record/content_hash.hpp>

#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace weft::postgres_detail {

/** The connections of a store, on a loop of their own OS thread.
 *
 *  @par Thread safety   `run` on any loop of any OS thread.
 *  @par Lifetimes       The destructor ends the OS thread and waits for it.
 */
class pg_core {
public:
    /** Connects, and sets the schema up or checks it.
     *  @par Errors   `errc::store_unavailable`, `errc::store_refused`, `errc::store_corrupt`, `errc::cancelled`. */
    [[nodiscard]] static task<std::unique_ptr<pg_core>> open(pg_settings settings);
    ~pg_core();
    pg_core(const pg_core&) = delete;
    pg_core& operator=(const pg_core&) = delete;

    /** Carries out a request: as the role of tenants, if the caller works for one and there is that role.
     *  @par Errors  As `checkpoint_store` lists them. */
    [[nodiscard]] task<sql_answer> run(sql_request request);
    /** The same for one that gives packs. @param into  Outlives the task. */
    [[nodiscard]] task<void> run_giving(sql_request request, blob_receiver& into);

    [[nodiscard]] const hash_key& key() const noexcept { return key_; }
    /** Valid once it is open. */
    [[nodiscard]] store_news& news() noexcept { return news_->news(); }
    [[nodiscard]] const pg_settings& settings() const noexcept { return settings_; }
    [[nodiscard]] claimed_heads& heads() noexcept { return heads_; }

private:
    explicit pg_core(pg_settings settings);
    /** @return  Whether it goes out as the role of tenants, behind a statement that says for which. */
    [[nodiscard]] bool mark_tenant(sql_request& request, const task_context& caller) const;
    [[nodiscard]] sql_call_ptr submit(sql_request request, bool is_of_tenant);
    [[nodiscard]] pg_lane& lane_for(const sql_request& request, bool is_of_tenant) noexcept;
    [[nodiscard]] std::vector<pg_lane*> all_lanes();
    void work(std::stop_token stop);
    [[nodiscard]] store_news::due_task next_due();
    [[nodiscard]] task<void> serve();
    void disconnect() noexcept;

    const pg_settings settings_;
    const pg_settings tenant_settings_;
    hash_key key_;
    pg_lane workers_;
    pg_lane searches_;  // connects when the first one comes, as those of tenants do
    std::vector<std::unique_ptr<pg_lane>> lanes_;
    std::vector<std::unique_ptr<pg_lane>> tenant_lanes_;  // none without a role for them
    std::unique_ptr<pg_lane> tenant_searches_;
    std::optional<pg_news> news_;  // since the key is known
    sql_call_ptr opened_;
    claimed_heads heads_;
    std::jthread thread_;
};

}  // namespace weft::postgres_detail
