#pragma once

#include <weft/async/task.hpp>
#include <weft/store/role/document_store.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace weft::store_detail {

/** Whose turn it is to sweep a store: a document that is due says when, and the process that takes it has the turn. A
 *  process that dies in its turn leaves it to the next one after five minutes; a sweep that takes longer shares its
 *  work.
 *
 *  @par Lifetimes   The documents outlive it, and it its tasks. */
class sweep_turn {
public:
    /** @param kind   Of the document: one for each sort of sweep. */
    sweep_turn(document_store& documents, std::string kind) : documents_{documents}, kind_{std::move(kind)} {}

    /** @return  Whether it is this one's turn now. */
    [[nodiscard]] task<bool> take();
    /** The next turn comes after `period`. */
    [[nodiscard]] task<void> end(std::chrono::milliseconds period);

private:
    document_store& documents_;
    std::string kind_;
};

/** How often what stays for `keep` is swept: 24 times in that span, each second at most, each hour at least. */
[[nodiscard]] std::chrono::milliseconds sweep_period(std::chrono::milliseconds keep) noexcept;

}  // namespace weft::store_detail
