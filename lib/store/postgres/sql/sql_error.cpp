#include "sql_error.hpp"

#include <algorithm>
#include <iterator>

namespace weft::postgres_detail {

namespace {

struct known_state {
    std::string_view prefix;
    failure_kind kind;
    errc code;
    std::string_view advice;
};

// By SQLSTATE, the longer prefix first. PostgreSQL, Appendix A.
constexpr known_state known_states[] = {
    {"08", failure_kind::lost, errc::store_unavailable, ""},
    {"23505", failure_kind::duplicate, errc::store_refused, ""},
    {"25006", failure_kind::unavailable, errc::store_unavailable,
     "this server is read-only: name the primary, or list both in the connection string"},
    {"28", failure_kind::refused, errc::store_refused, "check user and password, and the server's pg_hba.conf"},
    {"3D000", failure_kind::refused, errc::store_refused, "create the database first"},
    {"3F000", failure_kind::refused, errc::store_refused, "set the store up with prepare()"},
    {"40001", failure_kind::again, errc::store_unavailable, ""},
    {"40P01", failure_kind::again, errc::store_unavailable, ""},
    {"42501", failure_kind::refused, errc::store_refused,
     "grant it, or set the store up with prepare() as a role that may"},
    {"42P01", failure_kind::refused, errc::store_refused, "set the store up with prepare()"},
    {"53100", failure_kind::unavailable, errc::store_full, "free space on the server's disk"},
    {"53400", failure_kind::unavailable, errc::store_full, "a configured limit of the server is reached"},
    {"53", failure_kind::unavailable, errc::store_unavailable, ""},
    {"54", failure_kind::refused, errc::limit_reached, ""},
    {"55P03", failure_kind::unavailable, errc::store_unavailable, "somebody holds the lock of this thread"},
    {"57014", failure_kind::unavailable, errc::store_unavailable, "it took longer than the store's request_timeout"},
    {"57P", failure_kind::lost, errc::store_unavailable, ""},
    {"58030", failure_kind::unavailable, errc::store_unavailable, "the server cannot use its disk"},
    {"XX001", failure_kind::refused, errc::store_corrupt, ""},
    {"XX002", failure_kind::refused, errc::store_corrupt, "rebuild the index: REINDEX"},
};

}  // namespace

sql_failure failure_of(std::string_view sqlstate, std::string_view message)
{
    sql_failure failure;
    failure.detail = message;
    failure.sqlstate = sqlstate;
    if (sqlstate.empty()) {
        failure.kind = failure_kind::lost;
        failure.code = errc::store_unavailable;
        return failure;
    }
    const auto* known = std::find_if(std::begin(known_states), std::end(known_states),
                                     [&](const known_state& state) { return sqlstate.starts_with(state.prefix); });
    failure.detail += " (SQLSTATE " + std::string{sqlstate} + ")";
    if (known == std::end(known_states)) return failure;
    failure.kind = known->kind;
    failure.code = known->code;
    if (!known->advice.empty()) failure.detail += "; " + std::string{known->advice};
    return failure;
}

bool is_passing(const sql_failure& failure) noexcept
{
    return failure.kind == failure_kind::lost || failure.kind == failure_kind::unavailable;
}

}  // namespace weft::postgres_detail
