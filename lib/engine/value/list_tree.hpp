#pragma once

#include "blob_sink.hpp"
#include "blob_table.hpp"
#include "linked_record.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace weft::checkpoint_detail {

/** What a list has as an item: bytes, and blobs that they refer to. */
struct encoded_item {
    std::string bytes;
    std::vector<content_hash> links = {};
};

/** Makes items of a list as they are stored. */
class item_maker {
public:
    [[nodiscard]] virtual encoded_item item(std::uint64_t index) = 0;

protected:
    ~item_maker() = default;
};

/** Writes an item: in place if it is small and refers to nothing, else as a blob. */
void write_item(linked_writer& to, encoded_item item, std::size_t in_place_max, blob_sink& sink);

/** A list in a store: a mountain range of base 16.
 *
 *  Sixteen items make a group, which is a blob; sixteen groups a node of level 1, sixteen of these one of level 2, and
 *  so on. Full nodes never change. The last items, which fill no group, stand where the list stands, and so does a link
 *  to a node for each level that has some children but not sixteen. So the form follows from the size alone; a list of
 *  n items that gets one more writes that item and, every 16^k appends, one node of level k.
 *
 *  @par Source   Crosby, Wallach: Efficient data structures for tamper-evident logging, USENIX Security 2009 (history
 *                trees), with nodes of sixteen.
 */
class list_tree {
public:
    static constexpr unsigned bits = 4;
    static constexpr std::size_t width = std::size_t{1} << bits;
    static constexpr std::size_t in_place_max = 48;  ///< Bytes of an item that stands in its group.
    static constexpr std::uint64_t size_max = std::uint64_t{1} << 22;

    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
    /** Appends items from the present size to `size`, in memory. What `maker` has to say of earlier items is asked for
     *  only after `read`.
     *  @return  False if earlier items are not those that the tree was read with: begin with a new one. */
    [[nodiscard]] bool extend(item_maker& maker, std::uint64_t size, blob_sink& sink);

    /** Writes where it stands; its nodes that are not stored go to the sink. */
    void write(linked_writer& to, blob_sink& sink);
    /** What `write` wrote. */
    [[nodiscard]] static list_tree read(linked_reader& from);

    /** Appends bytes that are the same for the same items only; of one that was read. */
    void append_identity(std::string& to) const;
    /** Gives every item, in order.
     *  @par Errors   `store_corrupt` if a blob is missing or of another form. */
    using item_function = std::function<void(std::string_view bytes, std::span<const content_hash> links)>;
    void for_each(const blob_table& blobs, const item_function& function) const;

private:
    struct last_item {
        std::string bytes;
        content_hash hash;
        bool is_blob;
    };
    struct open_node {
        std::vector<content_hash> children;
        content_hash hash{};
        std::uint32_t count = 0;
        bool is_named = false;        // `hash` is that of its children, and was given out
        bool knows_children = true;
    };

    void append(encoded_item item, blob_sink& sink);
    [[nodiscard]] bool push_child(std::size_t level, const content_hash& child, item_maker& maker, blob_sink& sink);
    [[nodiscard]] bool remember_children(std::size_t level, std::uint64_t items_before, item_maker& maker,
                                         const blob_sink& sink);
    [[nodiscard]] content_hash close_group(blob_sink& sink);
    [[nodiscard]] static content_hash add_node(std::size_t level, const std::vector<content_hash>& children,
                                               blob_sink& sink);
    void push_last(last_item item);
    void clear_last() noexcept;
    void write_last(linked_writer& to) const;

    std::uint64_t size_ = 0;
    std::vector<last_item> last_;
    std::string in_place_;           // of `last_` what comes before the first blob, as it is written
    std::size_t in_place_count_ = 0;
    std::vector<open_node> levels_;  // from level 1
};

}  // namespace weft::checkpoint_detail
