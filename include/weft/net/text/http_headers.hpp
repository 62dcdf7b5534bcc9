#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** The header fields of a request or response, in their order; names compare without regard to case.
 *
 *  All text stands in one block, so that a response head costs two allocations however many fields it has. Views that
 *  are given out stay valid until the headers change.
 *
 *  @par Errors          `errc::invalid_configuration` from `add` and `set` if the name is no token, or if the value has
 *                       a control character or white space at its ends: nothing that is put into a header can start
 *                       another one.
 *  @par Thread safety   As a value.
 *  @par Source          RFC 9110 §5.
 */
class http_headers {
public:
    struct field {
        std::string_view name;
        std::string_view value;
    };

    /** Adds a field after the others, whether or not there is one of this name. */
    void add(std::string_view name, std::string_view value);
    /** Puts a field in place of all fields of this name. */
    void set(std::string_view name, std::string_view value);
    /** Takes all fields of this name out. @return How many there were. */
    std::size_t erase(std::string_view name);

    /** The value of the first field of this name. */
    [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept;
    [[nodiscard]] bool contains(std::string_view name) const noexcept { return find(name).has_value(); }

    /** The value of `Content-Type` in lower case without parameters: `text/event-stream`; empty if there is none. */
    [[nodiscard]] std::string media_type() const;
    /** True if a field of this name is a list that has `token` as an element, without regard to case. */
    [[nodiscard]] bool lists(std::string_view name, std::string_view token) const noexcept;

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
    [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
    [[nodiscard]] field operator[](std::size_t index) const noexcept;

    /** Takes all fields out and keeps the memory. */
    void clear() noexcept
    {
        text_.clear();
        entries_.clear();
    }
    /** Makes room for so many fields, which have so many bytes in all. */
    void reserve(std::size_t fields, std::size_t bytes)
    {
        entries_.reserve(fields);
        text_.reserve(bytes);
    }
    /** Adds a field that a parser has checked already. */
    void add_unchecked(std::string_view name, std::string_view value);

private:
    struct entry {
        std::uint32_t begin;
        std::uint32_t name_size;
        std::uint32_t value_size;
    };

    std::string text_;
    std::vector<entry> entries_;
};

/** Checks that a name and value can stand in a header; see `http_headers` for the rules and errors. */
void check_header(std::string_view name, std::string_view value);

/** The value of a `Content-Type` in lower case without parameters: `text/html`. */
[[nodiscard]] std::string media_type_of(std::string_view content_type);

/** True if `a` and `b` are the same but for the case of ASCII letters. */
[[nodiscard]] bool equals_ignoring_case(std::string_view a, std::string_view b) noexcept;

/** True if `text` is a token of RFC 9110 §5.6.2, as method and header names are. */
[[nodiscard]] bool is_http_token(std::string_view text) noexcept;

}  // namespace weft
