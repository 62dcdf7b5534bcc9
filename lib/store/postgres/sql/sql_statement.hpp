#pragma once

#include "store/record/hash_bytes.hpp"

#include <weft/base/system/ids.hpp>
#include <weft/store/record/content_hash.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::postgres_detail {

/** A statement of the store: static text with parameters, prepared once per connection. */
struct sql_statement {
    const char* name;
    /** One letter for each parameter: `t` text, `b` bytea, `i` int8, `u` uuid, `o` bool; `T`, `B`, `I`, `U` arrays of
     *  them, `F` of float4. */
    const char* types;
    const char* text;

    [[nodiscard]] std::size_t parameter_count() const noexcept { return std::string_view{types}.size(); }
};

/** The object id of a parameter's type, as PostgreSQL has fixed it. */
[[nodiscard]] unsigned type_oid(char letter) noexcept;

/** The parameters of a statement in PostgreSQL's binary form, in order.
 *
 *  @par Source   PostgreSQL, "Frontend/Backend Protocol", Bind; the functions `…recv` of `src/backend/utils/adt`.
 */
class sql_parameters {
public:
    sql_parameters() noexcept {}

    /** Makes room for what follows, so that long bytes are written to their place once.
     *  @param count   Parameters.
     *  @param bytes   Of all of them, about. */
    sql_parameters& reserve(std::size_t count, std::size_t bytes);

    sql_parameters& text(std::string_view value) { return add('t', value); }
    sql_parameters& bytes(std::string_view value) { return add('b', value); }
    sql_parameters& integer(std::int64_t value);
    sql_parameters& boolean(bool value) { return add('o', std::string_view{value ? "\1" : "\0", 1}); }
    /** Null if it is nil. */
    sql_parameters& id(const unique_id& value);
    sql_parameters& null(char type);
    sql_parameters& texts(std::span<const std::string> values) { return array('t', values); }
    sql_parameters& byte_strings(std::span<const std::string> values) { return array('b', values); }
    /** An array of so many elements, which follow one by one. @param element  The letter of their type. */
    sql_parameters& begin_array(char element, std::size_t count);
    sql_parameters& element(std::string_view value);
    sql_parameters& element(std::int64_t value);
    sql_parameters& element(const unique_id& value);

    /** @param little_endian  Float32, one behind the other; at least one. */
    sql_parameters& floats(std::string_view little_endian);

    [[nodiscard]] std::size_t size() const noexcept { return slots_.size(); }
    /** Whether they are what a statement wants. */
    [[nodiscard]] bool fit(const sql_statement& statement) const noexcept { return types_ == statement.types; }
    [[nodiscard]] std::size_t bytes_total() const noexcept { return bytes_.size(); }

    /** Null if the parameter is. */
    [[nodiscard]] const char* data(std::size_t index) const noexcept
    {
        return slots_[index].length < 0 ? nullptr : bytes_.data() + slots_[index].begin;
    }
    [[nodiscard]] int length(std::size_t index) const noexcept
    {
        return slots_[index].length < 0 ? 0 : slots_[index].length;
    }

private:
    struct slot {
        std::size_t begin;
        int length;  // -1: null
    };
    sql_parameters& add(char type, std::string_view value);
    sql_parameters& array(char element, std::span<const std::string> values);
    void end_element() noexcept { slots_.back().length = static_cast<int>(bytes_.size() - slots_.back().begin); }

    std::string bytes_;
    std::string types_;
    std::vector<slot> slots_;
};

/** Big-endian, as on the wire. */
void append_int32(std::string& to, std::int32_t value);
void append_int64(std::string& to, std::int64_t value);

using store_detail::bytes_of_hash;
/** Hashes one behind the other, 16 bytes each, as the columns `links` have them. */
[[nodiscard]] std::string_view joined(std::span<const content_hash> hashes) noexcept;
/** Back from `joined`. @return  Nothing if the text is not a whole number of hashes. */
[[nodiscard]] std::optional<std::vector<content_hash>> split_hashes(std::string_view bytes);

}  // namespace weft::postgres_detail
