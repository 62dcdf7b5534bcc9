#pragma once

#include "sqlite_connection.hpp"
#include "sqlite_time.hpp"

#include <weft/store/record/stored_document.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace weft::sqlite_detail {

/** Which documents of a kind to take or erase, because their time has come. */
struct due_documents {
    std::string kind;
    std::chrono::milliseconds lease{0};
    std::size_t count_max = 0;
};

[[nodiscard]] bool write_documents(connection& db, const std::vector<document_change>& changes, const moment& at);
[[nodiscard]] std::optional<stored_document> read_document(connection& db, const document_key& key);
[[nodiscard]] document_page search_documents(connection& db, const document_query& query);
[[nodiscard]] std::size_t count_documents(connection& db, const document_query& query);
[[nodiscard]] std::vector<stored_document> take_due_documents(connection& db, const due_documents& which,
                                                              const moment& at);
[[nodiscard]] std::size_t erase_due_documents(connection& db, const due_documents& which, const moment& at);

}  // namespace weft::sqlite_detail
