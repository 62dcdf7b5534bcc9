#include "sqlite_functions.hpp"

#include "row_filter.hpp"

#include <sqlite3.h>

#include <memory>
#include <string_view>

namespace weft::sqlite_detail {

namespace {

std::string_view text_of(sqlite3_value* value)
{
    const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
    return {text ? text : "", static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

void delete_filter(void* value) { delete static_cast<row_filter*>(value); }

/** The filter is the same for all rows of a statement: SQLite keeps what was read of it. */
const row_filter* filter_of(sqlite3_context* context, sqlite3_value* argument)
{
    if (const void* known = sqlite3_get_auxdata(context, 1)) return static_cast<const row_filter*>(known);
    auto owned = std::make_unique<row_filter>(text_of(argument));
    sqlite3_set_auxdata(context, 1, owned.release(), &delete_filter);
    return static_cast<const row_filter*>(sqlite3_get_auxdata(context, 1));
}

/** No exception may pass through SQLite, which is written in C. */
void contains(sqlite3_context* context, int, sqlite3_value** arguments)
{
    try {
        const row_filter* filter = filter_of(context, arguments[1]);
        sqlite3_result_int(context, filter && filter->is_in(text_of(arguments[0])) ? 1 : 0);
    } catch (...) {
        sqlite3_result_error_nomem(context);
    }
}

}  // namespace

int add_functions(sqlite3* db) noexcept
{
    return sqlite3_create_function_v2(db, "weft_contains", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr, &contains,
                                      nullptr, nullptr, nullptr);
}

}  // namespace weft::sqlite_detail
