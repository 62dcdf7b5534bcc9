#pragma once

#include <weft/base/json_path.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** Where the values of a JSON text are. Made only when there is something to report.
 *
 *  @par Lifetimes   Views nothing; keeps offsets and names.
 */
class json_outline {
public:
    /** @param text   Has been parsed: it is JSON, not nested too deep. */
    explicit json_outline(std::string_view text);

    /** The offset of the value at a path, or of the innermost value around it that is there. */
    [[nodiscard]] std::size_t value_at(const json_path& path) const;
    /** The offset of the name of the member at a path, or what `value_at` says. */
    [[nodiscard]] std::size_t name_at(const json_path& path) const;

    /** A member whose object has one of this name already. */
    struct repeated_member {
        std::size_t offset;
        std::string path;
        std::string name;
    };
    [[nodiscard]] const std::vector<repeated_member>& repeated() const noexcept { return repeated_; }

private:
    struct entry {
        std::size_t value;
        std::size_t name_offset;
        std::string name;
        std::vector<std::uint32_t> parts;
    };

    void skip_space();
    [[nodiscard]] std::string_view take_string();
    void take_value(std::uint32_t into, const json_path& path);
    void take_object(std::uint32_t into, const json_path& path);
    void take_array(std::uint32_t into, const json_path& path);
    [[nodiscard]] std::uint32_t add(std::uint32_t parent);
    /** The entry as far down as the path leads, and whether that is all the way. */
    [[nodiscard]] std::pair<const entry*, bool> find(const json_path& path) const;

    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<entry> entries_;
    std::vector<repeated_member> repeated_;
};

/** A text without the byte order mark of UTF-8, which editors of Windows put before it. */
[[nodiscard]] std::string_view without_byte_order_mark(std::string_view text) noexcept;

/** How many members the objects of a JSON text have in all, repeated ones included. The text has been parsed. */
[[nodiscard]] std::size_t count_members(std::string_view text) noexcept;

}  // namespace weft
