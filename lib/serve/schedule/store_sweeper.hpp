#pragma once

#include "thread_sweeper.hpp"

#include <weft/async/task.hpp>
#include <weft/store/item_store.hpp>
#include <weft/store/role/document_store.hpp>

#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>

namespace weft::serve_detail {

/** Removes what has ended from a store, once a minute, in the background of a server: items, idempotency keys of
 *  webhooks, entries of the audit log, API keys. They count for nothing from their end on; this gives their room back.
 *  Threads that are not to stay end with it.
 *
 *  Several servers on one store share the work.
 *
 *  @par Thread safety   None: it belongs to its loop.
 *  @par Lifetimes       What it is made of outlives it, and it the task of `work`. */
class store_sweeper {
public:
    using problem_function = std::function<void(std::string_view what)>;

    /** @param items  May be null. */
    store_sweeper(document_store& documents, item_store* items, thread_sweeper threads, problem_function problem)
        : documents_{documents}, items_{items}, threads_{threads}, problem_{std::move(problem)}
    {
    }

    /** Until it is stopped. */
    [[nodiscard]] task<void> work();

private:
    static task<std::size_t> sweep(store_sweeper& self);

    document_store& documents_;
    item_store* items_;
    thread_sweeper threads_;
    problem_function problem_;
};

}  // namespace weft::serve_detail
