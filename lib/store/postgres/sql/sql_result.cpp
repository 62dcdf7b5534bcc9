#include "sql_result.hpp"

#include "sql_statement.hpp"

#include <weft/base/error.hpp>

#include <cstring>

namespace weft::postgres_detail {

namespace {

/** From 1970 to 2000, where PostgreSQL begins to count. */
constexpr std::chrono::microseconds postgres_epoch{946'684'800'000'000};

std::int64_t big_endian(std::string_view bytes) noexcept
{
    std::uint64_t bits = !bytes.empty() && (bytes.front() & 0x80) != 0 ? ~std::uint64_t{0} : 0;
    for (const char byte : bytes) bits = bits << 8 | static_cast<unsigned char>(byte);
    return static_cast<std::int64_t>(bits);
}

/** Takes an integer of four bytes from the front. @return Nothing if there is none. */
std::optional<std::int32_t> take_int32(std::string_view& bytes) noexcept
{
    if (bytes.size() < 4) return std::nullopt;
    const std::int64_t value = big_endian(bytes.substr(0, 4));
    bytes.remove_prefix(4);
    return static_cast<std::int32_t>(value);
}

/** The elements of an array of one dimension without nulls. */
std::optional<std::vector<std::string>> array_elements(std::string_view bytes)
{
    const auto dimensions = take_int32(bytes);
    const auto has_nulls = take_int32(bytes);
    const auto element = take_int32(bytes);
    if (!dimensions || !has_nulls || !element || *dimensions > 1) return std::nullopt;
    std::vector<std::string> elements;
    if (*dimensions == 0) return elements;
    const auto count = take_int32(bytes);
    const auto first = take_int32(bytes);
    if (!count || !first || *count < 0) return std::nullopt;
    for (std::int32_t i = 0; i < *count; ++i) {
        const auto length = take_int32(bytes);
        if (!length || *length < 0 || static_cast<std::size_t>(*length) > bytes.size()) return std::nullopt;
        elements.emplace_back(bytes.substr(0, static_cast<std::size_t>(*length)));
        bytes.remove_prefix(static_cast<std::size_t>(*length));
    }
    return elements;
}

}  // namespace

bool sql_result::is_null(std::size_t row, int column) const noexcept
{
    return PQgetisnull(rows_.get(), static_cast<int>(row), column) != 0;
}

std::string_view sql_result::text(std::size_t row, int column) const noexcept
{
    const char* value = PQgetvalue(rows_.get(), static_cast<int>(row), column);
    if (!value) return {};
    return {value, static_cast<std::size_t>(PQgetlength(rows_.get(), static_cast<int>(row), column))};
}

std::int64_t sql_result::integer(std::size_t row, int column) const
{
    const std::string_view bytes = text(row, column);
    if (bytes.empty() && is_null(row, column)) return 0;
    if (bytes.size() != 2 && bytes.size() != 4 && bytes.size() != 8) refuse(row, column, "an integer");
    return big_endian(bytes);
}

bool sql_result::boolean(std::size_t row, int column) const
{
    const std::string_view bytes = text(row, column);
    if (bytes.size() != 1) refuse(row, column, "a truth value");
    return bytes.front() != 0;
}

unique_id sql_result::id(std::size_t row, int column) const
{
    const std::string_view bytes = text(row, column);
    unique_id value;
    if (is_null(row, column)) return value;
    if (bytes.size() != value.bytes.size()) refuse(row, column, "a UUID");
    std::memcpy(value.bytes.data(), bytes.data(), bytes.size());
    return value;
}

clock::system_time_point sql_result::moment(std::size_t row, int column) const
{
    if (is_null(row, column)) return {};
    const std::chrono::microseconds since_2000{integer(row, column)};
    return clock::system_time_point{
        std::chrono::duration_cast<clock::system_time_point::duration>(postgres_epoch + since_2000)};
}

std::vector<content_hash> sql_result::hashes(std::size_t row, int column) const
{
    std::optional<std::vector<content_hash>> found = split_hashes(text(row, column));
    if (!found) refuse(row, column, "a list of hashes of 16 bytes");
    return *std::move(found);
}

std::vector<std::string> sql_result::texts(std::size_t row, int column) const
{
    std::optional<std::vector<std::string>> found = array_elements(text(row, column));
    if (!found) refuse(row, column, "an array of texts");
    return *std::move(found);
}

void sql_result::refuse(std::size_t row, int column, const char* expected) const
{
    const char* name = PQfname(rows_.get(), column);
    throw error{errc::store_corrupt, "PostgreSQL",
                "column '" + std::string{name ? name : "?"} + "' of row " + std::to_string(row) + " is not " +
                    expected + "; was the schema changed by hand?"};
}

std::int64_t nanoseconds_of(clock::system_time_point moment) noexcept
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(moment.time_since_epoch()).count();
}

clock::system_time_point moment_of(std::int64_t nanoseconds) noexcept
{
    return clock::system_time_point{
        std::chrono::duration_cast<clock::system_time_point::duration>(std::chrono::nanoseconds{nanoseconds})};
}

}  // namespace weft::postgres_detail
