#include "list_tree.hpp"

#include <weft/base/error.hpp>

#include <utility>

namespace weft::checkpoint_detail {

namespace {

// An item that stands in place has its length and one before it; 0 says that a link follows.
constexpr std::uint64_t is_linked = 0;
constexpr std::string_view list_place = "checkpoint, list";

const blob_table::entry& blob_of(const content_hash& hash, const blob_table& blobs)
{
    const blob_table::entry* const found = blobs.find(hash);
    if (!found) throw error{errc::store_corrupt, std::string{list_place}, "the blob " + hash.text() + " is missing"};
    return *found;
}

/** Goes down a tree that is not checked yet. */
class tree_walk {
public:
    tree_walk(const blob_table& blobs, const list_tree::item_function& function)
        : blobs_{blobs}, function_{function}
    {
    }

    void node(const content_hash& hash, std::size_t level, std::size_t children) const
    {
        const blob_table::entry& here = blob_of(hash, blobs_);
        linked_reader from{here.bytes, list_place, here.links};
        // The level stands in each node, so that a damaged record cannot make a leaf of a node.
        if (from.byte() != level) from.refuse("a node is of another level");
        if (level == 0) {
            items(from, children);
            return from.require_end();
        }
        if (here.links.size() != children) from.refuse("a node has another number of children");
        from.require_end();
        for (const content_hash& child : here.links) node(child, level - 1, list_tree::width);
    }

    void items(linked_reader& from, std::size_t count) const
    {
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint64_t length = from.number();
            if (length != is_linked) {
                function_(from.raw(static_cast<std::size_t>(length - 1)), {});
                continue;
            }
            const blob_table::entry& item = blob_of(from.link(), blobs_);
            function_(item.bytes, item.links);
        }
    }

private:
    const blob_table& blobs_;
    const list_tree::item_function& function_;
};

}  // namespace

void write_item(linked_writer& to, encoded_item item, std::size_t in_place_max, blob_sink& sink)
{
    if (item.links.empty() && item.bytes.size() <= in_place_max) {
        to.number(item.bytes.size() + 1);
        return to.raw(item.bytes);
    }
    to.number(is_linked);
    to.link(sink.add_again(std::move(item.bytes), std::move(item.links)));
}

bool list_tree::extend(item_maker& maker, std::uint64_t size, blob_sink& sink)
{
    if (size > size_max)
        throw error{errc::limit_reached, "", "a list has " + std::to_string(size) + " items, and " +
                                                 std::to_string(size_max) + " can be stored"};
    // Only new items are made: a list that grows by one costs one item, and a node for every `width`.
    while (size_ < size) {
        append(maker.item(size_), sink);
        if (last_.size() == width && !push_child(1, close_group(sink), maker, sink)) return false;
    }
    return true;
}

void list_tree::append(encoded_item item, blob_sink& sink)
{
    ++size_;
    if (item.links.empty() && item.bytes.size() <= in_place_max)
        // A small item in a blob of its own would cost the store more than the item.
        push_last({std::move(item.bytes), {}, false});
    else
        push_last({{}, sink.add(std::move(item.bytes), std::move(item.links)), true});
}

void list_tree::push_last(last_item item)
{
    // These items are written again with each draft until their group is full, most of them the same.
    if (!item.is_blob && in_place_count_ == last_.size()) {
        record_writer written;
        written.number(item.bytes.size() + 1);
        written.raw(item.bytes);
        in_place_.append(written.bytes());
        ++in_place_count_;
    }
    last_.push_back(std::move(item));
}

void list_tree::clear_last() noexcept
{
    last_.clear();
    in_place_.clear();
    in_place_count_ = 0;
}

void list_tree::write_last(linked_writer& to) const
{
    to.raw(in_place_);
    for (std::size_t i = in_place_count_; i < last_.size(); ++i) {
        const last_item& item = last_[i];
        to.number(item.is_blob ? is_linked : item.bytes.size() + 1);
        if (item.is_blob)
            to.link(item.hash);
        else
            to.raw(item.bytes);
    }
}

content_hash list_tree::close_group(blob_sink& sink)
{
    linked_writer group;
    group.byte(0);
    write_last(group);
    clear_last();
    return sink.add(group.take(), group.take_links());
}

content_hash list_tree::add_node(std::size_t level, const std::vector<content_hash>& children, blob_sink& sink)
{
    return sink.add(std::string(1, static_cast<char>(level)), children);
}

/** Takes over a node of the level below that is full. */
bool list_tree::push_child(std::size_t level, const content_hash& child, item_maker& maker, blob_sink& sink)
{
    if (levels_.size() < level) levels_.resize(level);
    const std::uint64_t items_of_child = std::uint64_t{1} << (bits * level);
    // A node that was read is known by its hash alone.
    if (!remember_children(level, size_ - items_of_child, maker, sink)) return false;
    open_node& node = levels_[level - 1];
    node.children.push_back(child);
    node.is_named = false;
    if (++node.count < width) return true;
    const content_hash full = add_node(level, node.children, sink);
    node = open_node{};
    return push_child(level + 1, full, maker, sink);
}

/** Finds out which children a node has that was read: the same items make the same nodes. */
bool list_tree::remember_children(std::size_t level, std::uint64_t items_before, item_maker& maker,
                                  const blob_sink& sink)
{
    const std::uint32_t count = levels_[level - 1].count;
    if (levels_[level - 1].knows_children) return true;
    const std::uint64_t items = std::uint64_t{count} << (bits * level);
    // The blobs are in the store: only their names are needed.
    blob_sink names = sink.naming_only();
    list_tree again;
    for (std::uint64_t i = items_before - items; i < items_before; ++i) {
        again.append(maker.item(i), names);
        if (again.last_.size() == width && !again.push_child(1, again.close_group(names), maker, names)) return false;
    }
    open_node& node = levels_[level - 1];
    node.children = std::move(again.levels_[level - 1].children);
    node.knows_children = true;
    return add_node(level, node.children, names) == node.hash;
}

void list_tree::write(linked_writer& to, blob_sink& sink)
{
    to.number(size_);
    for (std::size_t level = 1; level <= levels_.size(); ++level) {
        open_node& node = levels_[level - 1];
        if (node.count == 0) continue;
        // Nodes that are still open are written again with each draft that changes them; those that are full never.
        if (!node.is_named) node.hash = add_node(level, node.children, sink);
        node.is_named = true;
        to.link(node.hash);
    }
    write_last(to);
}

list_tree list_tree::read(linked_reader& from)
{
    list_tree result;
    result.size_ = from.number_up_to(size_max, "the size of a list");
    for (std::uint64_t rest = result.size_ >> bits; rest != 0; rest >>= bits) {
        open_node node;
        node.count = static_cast<std::uint32_t>(rest % width);
        if (node.count > 0) {
            node.hash = from.link();
            node.is_named = true;
            node.knows_children = false;
        }
        result.levels_.push_back(std::move(node));
    }
    // The form of the tree follows from its size: no levels or counts are stored, and none can be wrong.
    const std::size_t last = result.size_ % width;
    result.last_.reserve(last);
    for (std::size_t i = 0; i < last; ++i) {
        const std::uint64_t length = from.number();
        if (length == is_linked)
            result.push_last({{}, from.link(), true});
        else
            result.push_last({std::string{from.raw(static_cast<std::size_t>(length - 1))}, {}, false});
    }
    return result;
}

void list_tree::append_identity(std::string& to) const
{
    const auto add = [&to](const content_hash& hash) {
        to.append(reinterpret_cast<const char*>(hash.bytes.data()), hash.bytes.size());
    };
    record_writer head;
    head.number(size_);
    to.append(head.bytes());
    for (const open_node& node : levels_)
        if (node.count > 0) add(node.hash);
    for (const last_item& item : last_) {
        record_writer length;
        length.number(item.is_blob ? is_linked : item.bytes.size() + 1);
        to.append(length.bytes()).append(item.bytes);
        if (item.is_blob) add(item.hash);
    }
}

void list_tree::for_each(const blob_table& blobs, const item_function& function) const
{
    const tree_walk walk{blobs, function};
    for (std::size_t level = levels_.size(); level > 0; --level)
        if (levels_[level - 1].count > 0) walk.node(levels_[level - 1].hash, level, levels_[level - 1].count);
    for (const last_item& item : last_) {
        if (!item.is_blob) {
            function(item.bytes, {});
            continue;
        }
        const blob_table::entry& stored = blob_of(item.hash, blobs);
        function(stored.bytes, stored.links);
    }
}

}  // namespace weft::checkpoint_detail
