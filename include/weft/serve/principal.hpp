#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** Who calls a server, as one of the ways to authenticate has found out.
 *
 *      principal{.name = "nightly job", .tenant = "acme", .scopes = {"threads:*", "assistants:read"}}
 *
 *  A scope is a resource and an action, either of which may be `*`; `*` alone is everything but `keys`, `queue`,
 *  `metrics` and `graphs`, which stand in scopes by their names: who may make keys may let in others, queue and metrics
 *  are of all tenants, and graph files have the prompts of their agents.
 *
 *  | resource     | actions                                             |
 *  |--------------|-----------------------------------------------------|
 *  | `threads`    | create, read, update, delete, search, create_run    |
 *  | `assistants` | create, read, update, delete, search                |
 *  | `crons`      | create, read, update, delete, search                |
 *  | `store`      | put, get, delete, search, list_namespaces           |
 *  | `server`     | read                                                |
 *  | `keys`       | create, read, delete                                |
 *  | `queue`      | read, update, delete                                |
 *  | `metrics`    | read                                                |
 *  | `graphs`     | read                                                |
 *
 *  @par Thread safety   As a value.
 *  @par Source          Resources and actions of LangGraph's `Auth`.
 */
struct principal {
    std::string name = {};                 ///< For the audit log: of an API key, or the subject of a token.
    std::string tenant = {};               ///< What it makes belongs to its tenant; what others made is not there.
    std::vector<std::string> scopes{"*"};  ///< What it may do.

    /** True if a scope allows the action. */
    [[nodiscard]] bool may(std::string_view resource, std::string_view action) const noexcept;
    /** True if a scope allows all that another scope does: who hands scopes on hands on no more than it has. */
    [[nodiscard]] bool has_all_of(std::string_view scope) const noexcept;
};

}  // namespace weft
