#pragma once

#include "sqlite_core.hpp"

#include <weft/store/item_vectors.hpp>

namespace weft::sqlite_detail {

/** Vectors beside the items of a SQLite file. They are searched on the OS threads that read the file.
 *
 *  @par Lifetimes   The core outlives it.
 */
class sqlite_vectors final : public item_vectors {
public:
    explicit sqlite_vectors(core& core) noexcept : core_{core} {}

    [[nodiscard]] task<void> put_with_vector(std::string tenant, item_key key, boost::json::value value,
                                             item_vector vector,
                                             std::optional<std::chrono::milliseconds> lifetime) override;
    [[nodiscard]] task<std::vector<item_match>> nearest(std::string tenant, std::vector<std::string> space,
                                                        vector_query query) override;

private:
    core& core_;
};

}  // namespace weft::sqlite_detail
