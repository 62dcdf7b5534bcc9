#pragma once

#include <weft/store/record/stored_document.hpp>
#include <weft/store/record/thread_summary.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** What a thread is doing, by its runs. */
enum class thread_phase : std::uint8_t {
    idle,     ///< No run is active, and the last one did not fail.
    busy,     ///< A run is ready or running.
    waiting,  ///< Its run is paused or has open questions.
    failed,   ///< No run is active, and the last one failed or is dead.
};

[[nodiscard]] std::string_view name_of(thread_phase phase) noexcept;

/** A thread with what a server knows of it. */
struct stored_thread : thread_summary {
    thread_phase phase = thread_phase::idle;
    wall_time created;
    std::string metadata;  ///< A JSON object; its members may come back in another order.
    std::string values;    ///< A JSON object: what `thread_change::values` said last.
};

/** A change of a thread. */
struct thread_change {
    /** A JSON object whose members replace those of the same name; the others stay. */
    std::optional<std::string> metadata = {};
    /** A JSON object in place of the one before: what of the newest state can be searched for. Stores do not look into
     *  checkpoints, which may be sealed; so the server says it after a run. */
    std::optional<std::string> values = {};
};

/** Which threads to list. */
struct thread_query {
    std::optional<std::string> tenant = {};   ///< None: of all tenants.
    std::vector<thread_phase> phases = {};    ///< Only threads in one of them; empty: in any.
    std::string metadata_contains = "{}";     ///< A JSON object, as `document_query::contains`.
    std::string values_contain = "{}";        ///< The same for `stored_thread::values`.
    std::optional<wall_time> changed_from = {};    ///< Only threads that changed last then or later.
    std::optional<wall_time> changed_before = {};  ///< Only threads that changed last earlier.
    list_order order = list_order::newest_first;
    std::string after = {};       ///< `thread_page::next` of the page before; empty: the first page.
    std::size_t count_max = 100;  ///< At most so many.
};

/** A part of a list. */
struct thread_page {
    std::vector<stored_thread> threads;
    std::string next;  ///< For `thread_query::after`; empty: nothing follows.
};

}  // namespace weft
