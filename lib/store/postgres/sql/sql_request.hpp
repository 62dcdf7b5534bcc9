#pragma once

#include "pending_commit.hpp"
#include "row_packs.hpp"
#include "sql_statement.hpp"

#include <weft/store/record/thread_key.hpp>
#include <weft/store/role/store_news.hpp>

#include <boost/assert.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft::postgres_detail {

/** The first two parameters of most statements: tenant and name of a thread. */
[[nodiscard]] inline sql_parameters naming(const thread_key& thread)
{
    sql_parameters parameters;
    parameters.text(thread.tenant).text(thread.thread);
    return parameters;
}

struct sql_step {
    const sql_statement* statement;
    sql_parameters parameters;
};

/** The notice of a run that is entered. */
struct entry_notice {
    store_notice what;
    unique_id run;
    bool is_all;  ///< The request does nothing beside the entry.
};

/** What one operation asks of the database: statements that are done as a whole or not at all.
 *
 *  A statement sees what was committed before it began. What must not be older than the lock that it needs is
 *  therefore a step of its own, behind the one that takes the lock; both go out together.
 */
class sql_request {
public:
    sql_request() noexcept {}

    sql_request& step(const sql_statement& statement, sql_parameters parameters)
    {
        BOOST_ASSERT_MSG(parameters.fit(statement), statement.name);
        bytes_ += parameters.bytes_total();
        steps_.push_back({&statement, std::move(parameters)});
        return *this;
    }
    /** Behind its steps it writes a checkpoint, which becomes a step when the batch is known. */
    sql_request& committing(pending_commit what)
    {
        of(what.fence.thread).writing();
        bytes_ += what.bytes();
        commit_ = std::make_unique<const pending_commit>(std::move(what));
        return *this;
    }
    /** It changes something: if the connection is lost meanwhile, it is unknown whether it did. */
    sql_request& writing() { writes_ = true; return *this; }
    /** Which thread's row it locks. Batches lock them in this order. */
    sql_request& of(const thread_key& thread)
    {
        lock_order_.reserve(thread.tenant.size() + 1 + thread.thread.size());
        lock_order_.append(thread.tenant).append(1, '\0').append(thread.thread);
        return *this;
    }
    /** It locks much or takes long: no other request shares its transaction. */
    sql_request& by_itself() { is_alone_ = true; return *this; }
    /** It is a sign of life, or decides about those of others: it does not wait behind checkpoints. */
    sql_request& of_workers() { is_of_workers_ = true; return *this; }
    /** It enters a run: what there is to announce if that is ready then. It may go out with the request
     *  (`sql_answer::is_announced`). */
    sql_request& announcing(entry_notice notice) { notice_ = notice; return *this; }
    /** It takes long in the server: no checkpoint waits behind it. */
    sql_request& searching() { is_search_ = true; return *this; }
    /** It only reads what was committed before: any connection that has nothing to do will do. */
    sql_request& anywhere() { is_anywhere_ = true; return *this; }
    /** Its rows go to the caller as they come, and not with the answer. */
    sql_request& giving(intrusive_ptr<row_packs> packs) { packs_ = std::move(packs); return *this; }
    /** It is about rows of all tenants, whichever tenant the caller works for. */
    sql_request& of_engine() { is_of_engine_ = true; return *this; }
    /** Puts a step in front of all others. Its result comes first. */
    sql_request& led_by(const sql_statement& statement, sql_parameters parameters)
    {
        BOOST_ASSERT_MSG(parameters.fit(statement), statement.name);
        bytes_ += parameters.bytes_total();
        steps_.insert(steps_.begin(), sql_step{&statement, std::move(parameters)});
        return *this;
    }

    [[nodiscard]] const std::vector<sql_step>& steps() const noexcept { return steps_; }
    /** Null if it writes none. */
    [[nodiscard]] const pending_commit* commit() const noexcept { return commit_.get(); }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] bool writes() const noexcept { return writes_; }
    [[nodiscard]] bool is_alone() const noexcept { return is_alone_; }
    [[nodiscard]] bool is_of_workers() const noexcept { return is_of_workers_; }
    [[nodiscard]] bool is_search() const noexcept { return is_search_; }
    [[nodiscard]] bool is_anywhere() const noexcept { return is_anywhere_; }
    /** Null: they come with the answer. */
    [[nodiscard]] const intrusive_ptr<row_packs>& packs() const noexcept { return packs_; }
    [[nodiscard]] bool is_of_engine() const noexcept { return is_of_engine_ || is_of_workers_; }
    [[nodiscard]] const std::optional<entry_notice>& notice() const noexcept { return notice_; }
    [[nodiscard]] const std::string& lock_order() const noexcept { return lock_order_; }

private:
    std::vector<sql_step> steps_;
    std::unique_ptr<const pending_commit> commit_;
    std::string lock_order_;
    std::optional<entry_notice> notice_;
    intrusive_ptr<row_packs> packs_;
    std::size_t bytes_ = 0;
    bool writes_ = false;
    bool is_alone_ = false;
    bool is_of_workers_ = false;
    bool is_search_ = false;
    bool is_of_engine_ = false;
    bool is_anywhere_ = false;
};

}  // namespace weft::postgres_detail
