#pragma once

#include "store/postgres/sql/embedding_statements.hpp"

#include <boost/assert.hpp>

#include <atomic>
#include <memory>
#include <utility>

namespace weft::postgres_detail {

/** Whether the database of a store searches vectors by itself. It is found out once, while the store is opened; when
 *  the extension goes away afterwards, it stays off until the store is opened again.
 *
 *  @par Thread safety   `turn_on` before other OS threads know of it; the rest from any OS thread.
 */
class embedding_search {
public:
    void turn_on(std::unique_ptr<const embedding_statements> statements) noexcept
    {
        statements_ = std::move(statements);
        is_on_ = true;
    }
    void turn_off() noexcept { is_on_ = false; }
    [[nodiscard]] bool is_on() const noexcept { return is_on_; }

    /** Once it was turned on. */
    [[nodiscard]] const embedding_statements& statements() const noexcept
    {
        BOOST_ASSERT(statements_);
        return *statements_;
    }

private:
    std::unique_ptr<const embedding_statements> statements_;
    std::atomic<bool> is_on_{false};
};

}  // namespace weft::postgres_detail
