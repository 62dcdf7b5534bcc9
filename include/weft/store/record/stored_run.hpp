#pragma once

#include <weft/store/record/run_record.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** A run in a list: what is known of it without its input. */
struct stored_run {
    run_id id;
    thread_key thread;
    run_phase phase = run_phase::ready;
    run_signal signal = run_signal::none;
    std::string graph;
    std::string revision;         ///< As `new_run::revision`.
    std::string message;          ///< Why it ended; for people.
    std::uint32_t attempt = 0;
    wall_time created;
    wall_time changed;            ///< As `run_record::changed`.
    wall_time ended;              ///< The epoch of the clock if it is not over.
    std::string metadata;         ///< As `new_run::metadata`; its members may come back in another order.
    std::string webhook;          ///< As `new_run::webhook`.
    std::string idempotency_key;  ///< As `new_run::idempotency_key`.
    std::int32_t priority = 0;
    std::optional<wall_time> not_before;  ///< As `new_run::not_before`.
};

/** Which runs to list. */
struct run_query {
    std::optional<std::string> tenant = {};  ///< None: of all tenants.
    std::optional<std::string> thread = {};  ///< None: of all threads.
    std::optional<std::string> graph = {};   ///< None: of all graphs.
    std::vector<run_phase> phases = {};      ///< Only runs in one of them; empty: in any.
    /** A JSON object: only runs whose metadata contain it, as `document_query::contains`. */
    std::string contains = "{}";
    std::optional<wall_time> created_from = {};    ///< Only runs that were made then or later.
    std::optional<wall_time> created_before = {};  ///< Only runs that were made earlier.
    std::optional<wall_time> changed_from = {};    ///< Only runs that changed last then or later.
    std::optional<wall_time> changed_before = {};  ///< Only runs that changed last earlier.
    bool is_newest_first = true;
    std::string after = {};       ///< `run_page::next` of the page before; empty: the first page.
    std::size_t count_max = 100;  ///< At most so many.
};

/** A part of a list. */
struct run_page {
    std::vector<stored_run> runs;
    std::string next;  ///< For `run_query::after`; empty: nothing follows.
};

}  // namespace weft
