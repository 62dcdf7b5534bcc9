#pragma once

#include "schema.hpp"

#include <weft/store/record/migration_plan.hpp>

#include <string>
#include <vector>

namespace weft::postgres_detail {

/** A statement of a schema version, and how it goes into tables that are in use. */
struct migration_step {
    int version = 0;
    int number = 0;  ///< Among those of its version, from 1 on.
    const char* text = "";
    migration_way way = migration_way::at_once;
    migration_lock lock = migration_lock::nothing;
    std::string table = {};  ///< That was there before; empty: none.
    std::string index = {};  ///< What `concurrently` makes.
};

/** The steps behind version `found`, of which `done` of the next version were carried out already. A table that the
 *  steps themselves make has no users yet. */
[[nodiscard]] std::vector<migration_step> migration_steps(int found, int done);

}  // namespace weft::postgres_detail
