#pragma once

#include <weft/store/item_store.hpp>
#include <weft/store/record/checkpoint.hpp>
#include <weft/store/record/journal.hpp>
#include <weft/store/record/run_record.hpp>
#include <weft/store/record/store_limits.hpp>
#include <weft/store/record/stored_document.hpp>
#include <weft/store/record/stored_event.hpp>
#include <weft/store/record/worker_entry.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace weft {

/** Refuse what is larger than `store_limits` allow, the same way in every store.
 *  @par Errors  `errc::limit_reached`; where: which field; detail: its size and the limit. */
void check_limits(const thread_key& thread);
void check_limits(const new_run& run);
void check_limits(const worker_entry& entry);
void check_limits(const std::vector<graph_ability>& graphs);
void check_limits(const run_outcome& outcome);
void check_limits(const checkpoint_draft& draft);
void check_limits(const effect_record& effect);
void check_limits(const question_record& question);
/** @param name  A label, the name of a worker, a tenant. @param what  Which, for the message. */
void check_name_limit(std::string_view name, std::string_view what);
void check_address_limit(std::string_view address);
void check_text_limit(std::string_view text, std::string_view what);

/** A path of an item: at most `item_space_names_max` names, none of them empty. */
void check_limits(const std::vector<std::string>& item_space);
void check_limits(const item_key& key);

inline constexpr std::size_t item_space_names_max = 16;

/** Bytes of the body and blobs of a draft, without links. */
[[nodiscard]] std::size_t bytes_of(const checkpoint_draft& draft) noexcept;

/** Refuses a text that is no JSON object, is too long, or has the character U+0000, which PostgreSQL does not store. */
[[nodiscard]] boost::json::object checked_object(std::string_view text, std::size_t bytes_max, std::string_view what);
void check_limits(const std::vector<event_draft>& events);
void check_limits(const document_key& key);
void check_limits(const std::vector<document_change>& changes);
void check_limits(const document_query& query);

}  // namespace weft
