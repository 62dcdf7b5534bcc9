#include "schema.hpp"

#include "migrator.hpp"
#include "run_alone.hpp"
#include "schema_look.hpp"

#include <weft/base/error.hpp>

#include <algorithm>
#include <cstring>

namespace weft::postgres_detail {

namespace {

constexpr sql_statement find_key{"find_key", "", "SELECT hash_key FROM store"};
error refusal(schema_step step, const found_schema& found, const pg_settings& settings, int known)
{
    const std::string schema = "schema '" + settings.schema + "'";
    if (step == schema_step::refuse_newer)
        return error{errc::store_refused, settings.where.label(),
                     schema + " has version " + std::to_string(*found.version) +
                         ", which needs a program that knows version " + std::to_string(found.min_reader) +
                         "; this one knows " + std::to_string(known) + ": use a newer weft"};
    const std::string what = found.version ? " has the old version " + std::to_string(*found.version)
                                           : std::string{" has no tables of weft"};
    return error{errc::store_refused, settings.where.label(),
                 schema + what + ": set it up with `weft store migrate` (`prepare`), as a role that may create tables"};
}

}  // namespace

schema_step schema_step_for(std::optional<int> found, int min_reader, int known, bool may_migrate) noexcept
{
    if (found && *found >= known) return min_reader > known ? schema_step::refuse_newer : schema_step::use;
    return may_migrate ? schema_step::migrate : schema_step::refuse_missing;
}

bool is_schema_name(std::string_view name) noexcept
{
    constexpr std::size_t length_max = 41;
    const auto is_first = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
    const auto is_further = [&](char c) { return is_first(c) || (c >= '0' && c <= '9'); };
    return !name.empty() && name.size() <= length_max && is_first(name.front()) &&
           std::all_of(name.begin(), name.end(), is_further);
}

task<hash_key> open_schema(pg_connection& connection, const pg_settings& settings)
{
    const int known = schema_versions().back().number;
    found_schema found = co_await look_at_schema(connection, settings);
    schema_step step = schema_step_for(found.version, found.min_reader, known, settings.may_migrate);
    if (step == schema_step::migrate) {
        std::optional<error> why;
        migrator migration{connection, settings};
        try {
            co_await migration.run();
        } catch (const error& e) {
            why = e;
        }
        if (why && (why->code() == errc::cancelled || !connection.is_usable())) throw *why;
        found = co_await look_at_schema(connection, settings);
        step = schema_step_for(found.version, found.min_reader, known, false);
        if (why && step == schema_step::refuse_missing) throw *why;
    }
    if (step != schema_step::use) throw refusal(step, found, settings, known);
    sql_request request;
    request.step(find_key, sql_parameters{});
    const std::vector<sql_result> rows =
        co_await run_alone(connection, settings, std::move(request), settings.request_timeout * 2);
    hash_key key;
    if (rows[0].size() != 1 || rows[0].text(0, 0).size() != key.bytes.size())
        throw error{errc::store_corrupt, settings.where.label(),
                    "table '" + settings.schema + ".store' has not one row with a key of 16 bytes"};
    std::memcpy(key.bytes.data(), rows[0].text(0, 0).data(), key.bytes.size());
    co_return key;
}

}  // namespace weft::postgres_detail
