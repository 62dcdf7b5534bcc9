#pragma once

#include <weft/async/task.hpp>
#include <weft/store/role/document_store.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** A graph with a configuration, under a name: what clients start runs of. */
struct assistant {
    std::string tenant;
    std::string id;
    std::string graph;
    std::string name;
    std::string description;
    std::string config = "{}";    ///< A JSON object, for the graph.
    std::string metadata = "{}";  ///< A JSON object to find the assistant by.
    std::uint64_t version = 0;    ///< Of graph, name, description, config and metadata: 1, 2, 3, …
    wall_time created;
    wall_time changed;
};

/** An assistant, and the text that the store has of it. */
struct found_assistant : assistant {
    std::string body;
};

/** A part of a list of assistants. */
struct assistant_page {
    std::vector<assistant> assistants;
    std::string next;  ///< For `assistant_query::after`; empty: nothing follows.
};

/** Which assistants to list. */
struct assistant_query {
    std::optional<std::string> tenant = {};  ///< None: of all tenants.
    std::optional<std::string> graph = {};   ///< None: of all graphs.
    std::string metadata_contains = "{}";    ///< A JSON object, as `document_query::contains`.
    list_order order = list_order::newest_first;
    std::string after = {};
    std::size_t count_max = 100;
};

/** Keeps assistants with all their versions in a `document_store`.
 *
 *      assistant_registry assistants{store->service().documents()};
 *      const bool is_new = co_await assistants.create(made);
 *
 *  Each change makes a version; any of them can be the one that counts. Two changes at once make two versions.
 *
 *  @par Errors          As `document_store`; `errc::store_outcome_unknown` if changes by others come in between again
 *                       and again.
 *  @par Thread safety   As `document_store`.
 *  @par Lifetimes       The store outlives it.
 */
class assistant_registry {
public:
    explicit assistant_registry(document_store& documents) noexcept : documents_{documents} {}

    /** Enters an assistant as version 1; `version` and times are set by the registry.
     *  @return False if there is one of this id; then nothing is changed. */
    [[nodiscard]] task<bool> create(assistant made);
    /** The version that counts; nothing if there is no such assistant. */
    [[nodiscard]] task<std::optional<assistant>> find(std::string tenant, std::string id);
    /** As `find`, for what is asked again and again: what was found before is given back as long as the store has the
     *  same text of it, which is read and not taken apart. @param before   Null: nothing was. */
    [[nodiscard]] task<std::shared_ptr<const found_assistant>> find_again(
        std::string tenant, std::string id, std::shared_ptr<const found_assistant> before);
    /** Makes a version out of graph, name, description, config and metadata, which counts from now on.
     *  @return It; nothing if there is no such assistant. */
    [[nodiscard]] task<std::optional<assistant>> update(assistant changed);
    /** All versions, the newest first; at most `count_max`. */
    [[nodiscard]] task<std::vector<assistant>> versions(std::string tenant, std::string id, std::size_t count_max);
    /** Makes a version the one that counts. @return It; nothing if there is none. */
    [[nodiscard]] task<std::optional<assistant>> use_version(std::string tenant, std::string id, std::uint64_t version);
    /** Removes an assistant and all its versions. @return False if there was none. */
    [[nodiscard]] task<bool> erase(std::string tenant, std::string id);
    /** Assistants in the version that counts, page by page. */
    [[nodiscard]] task<assistant_page> search(assistant_query query);
    /** How many assistants a query finds on all its pages. */
    [[nodiscard]] task<std::size_t> count(assistant_query query);

private:
    document_store& documents_;
};

}  // namespace weft
