#include "row_packs.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace weft::postgres_detail {

namespace {

constexpr int columns = 3;

}  // namespace

void row_packs::add(const sql_result& rows)
{
    if (rows.empty() || PQnfields(rows.get()) != columns) return;
    std::size_t bytes = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) bytes += rows.text(row, 1).size() + rows.text(row, 2).size();
    blob_pack pack{bytes};
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const std::string_view name = rows.text(row, 0);
        content_hash hash;
        // What is damaged is left to who asks for it by its hash.
        if (name.size() != hash.bytes.size()) continue;
        std::copy(name.begin(), name.end(), hash.bytes.begin());
        pack.add(hash, rows.text(row, 1), rows.text(row, 2));
    }
    {
        const std::lock_guard guard{lock_};
        packs_.push_back(std::move(pack));
    }
    news_->notify();
}

std::vector<blob_pack> row_packs::take()
{
    const std::lock_guard guard{lock_};
    return std::exchange(packs_, {});
}

}  // namespace weft::postgres_detail
