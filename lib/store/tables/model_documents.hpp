#pragma once

#include <weft/store/record/store_model.hpp>
#include <weft/store/record/store_tables.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/** The rules of `document_store` on the tables of a `store_model`. */
namespace weft::store_detail {

/** Adds a document of the store's own, unless there is one of its name. */
void add_document(store_tables& tables, document_change made, wall_time now);
[[nodiscard]] bool write_documents(store_tables& tables, std::vector<document_change> changes, store_moment at);
[[nodiscard]] std::optional<stored_document> read_document(const store_tables& tables, const document_key& key);
[[nodiscard]] document_page search_documents(const store_tables& tables, const document_query& query);
[[nodiscard]] std::size_t count_documents(const store_tables& tables, const document_query& query);
[[nodiscard]] std::vector<stored_document> take_due_documents(store_tables& tables, const std::string& kind,
                                                              std::chrono::milliseconds lease, std::size_t count_max,
                                                              store_moment at);
[[nodiscard]] std::size_t erase_due_documents(store_tables& tables, const std::string& kind, std::size_t count_max,
                                              store_moment at);

}  // namespace weft::store_detail
