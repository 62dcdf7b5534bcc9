#pragma once

#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/store/record/stored_document.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** Keeps small JSON objects by kind, tenant and id: what a service knows beside threads and runs. Assistants,
 *  schedules, webhooks under way, API keys and the audit log are in it, each by a class in `weft/store/service/`.
 *
 *  Changes that go together are written together, or none of them is. A change that names the revision it was made from
 *  takes place only if the document still has it.
 *
 *  @par Errors          As `checkpoint_store`; `errc::limit_reached` for a name or body that is too long
 *                       (`document_limits`); `errc::invalid_json` for a body or filter that is no JSON object or has
 *                       the character U+0000, which PostgreSQL does not store.
 *  @par Cancellation    As `checkpoint_store`.
 *  @par Thread safety   From any OS thread that has a loop.
 */
class document_store {
public:
    virtual ~document_store() = default;

    /** Writes all changes or none.
     *  @return False if a document does not have the revision that a change expects; nothing was written. */
    [[nodiscard]] virtual task<bool> write(std::vector<document_change> changes) = 0;
    /** A document; nothing if it is not there. */
    [[nodiscard]] virtual task<std::optional<stored_document>> read(document_key key) = 0;
    /** Documents of a kind, page by page. */
    [[nodiscard]] virtual task<document_page> search(document_query query) = 0;
    /** How many documents a query finds on all its pages. */
    [[nodiscard]] virtual task<std::size_t> count(document_query query) = 0;
    /** Takes documents whose time has come, those that have waited longest first, and puts their time off by `lease`:
     *  no other call takes them until then. A taker that does its work changes or erases them; one that dies leaves
     *  them to the next one. */
    [[nodiscard]] virtual task<std::vector<stored_document>> take_due(
        std::string kind, std::chrono::milliseconds lease, std::size_t count_max) = 0;
    /** Erases documents whose time has come, for kinds in which `due` is the end of their life.
     *  @return How many; at most `count_max`. */
    [[nodiscard]] virtual task<std::size_t> erase_due(std::string kind, std::size_t count_max) = 0;
};

}  // namespace weft
