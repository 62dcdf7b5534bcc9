#pragma once

#include <weft/base/text/json_path.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/** Where the values of a JSON or YAML text are. A reader adds what it finds, the outer before the inner.
 *
 *  @par Lifetimes   Views nothing; keeps offsets and names.
 */
class document_outline {
public:
    using node = std::uint32_t;
    static constexpr node whole = 0;

    document_outline() : entries_(1) {}

    /** A further member of an object; its value is not placed yet. */
    node add_member(node of, std::size_t name_offset, std::string name);
    /** A further item of a list. */
    node add_item(node of, std::size_t offset);
    void place(node which, std::size_t offset) { entries_[which].value = offset; }
    /** Says that a node has the members or items of another one, which are not in its own place. */
    void share(node which, node parts_of) { entries_[which].parts_of = parts_of; }

    [[nodiscard]] std::size_t offset_of(node which) const { return entries_[which].value; }
    [[nodiscard]] std::size_t name_offset_of(node which) const { return entries_[which].name_offset; }
    [[nodiscard]] const std::string& name_of(node which) const { return entries_[which].name; }
    [[nodiscard]] const std::vector<node>& parts_of(node which) const { return entries_[which].parts; }

    /** The offset of the value at a path, or of the innermost value around it that is there. */
    [[nodiscard]] std::size_t value_at(const json_path& path) const;
    /** The offset of the name of the member at a path, or what `value_at` says. */
    [[nodiscard]] std::size_t name_at(const json_path& path) const;

private:
    struct entry {
        std::size_t value = 0;
        std::size_t name_offset = 0;
        std::string name = {};
        std::vector<node> parts = {};
        node parts_of = whole;  // the whole text is a part of nothing, so it stands for none
    };

    /** The entry as far down as the path leads, and whether that is all the way. */
    [[nodiscard]] std::pair<const entry*, bool> find(const json_path& path) const;

    std::vector<entry> entries_;
};

}  // namespace weft
