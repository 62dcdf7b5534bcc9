#pragma once

#include "frame_value_writer.hpp"

#include "engine/value/list_tree.hpp"

#include <weft/engine/scheduler/frontier.hpp>
#include <weft/store/record/content_hash.hpp>

#include <map>
#include <optional>
#include <string>

namespace weft::checkpoint_detail {

/** A part that stands in place if it is small and refers to nothing, else as a blob. */
struct written_piece {
    std::string in_place;
    std::optional<content_hash> blob;
};

/** What was written of a fan-out: as far as its lists are the same, they are not written again. */
struct fan_out_memory {
    intrusive_ptr<const shared_items> sent;  ///< Held, so that no other items get its address.
    list_tree sent_tree;
    written_piece beginnings;                 ///< Of the branches, if something is sent to them.
    settled_list<ended_branch> ended;
    list_tree ended_tree;
};

using fan_out_memories = std::map<region_index, fan_out_memory>;

/** Writes the branches and the open fan-outs of one frame. */
class frame_branches_writer {
public:
    /** @par Lifetimes  All outlive it. */
    frame_branches_writer(const graph& of, const frontier& where, encoding& with, frame_value_writer& values,
                          fan_out_memories& memory) noexcept
        : of_{of}, where_{where}, with_{with}, to_{with.to}, values_{values}, memory_{memory}
    {
    }

    void write_branches();
    void write_regions();
    /** Forgets fan-outs that are not open any more. */
    void forget_closed();

private:
    class sent_item_maker;
    class ended_item_maker;

    void write_branch(const run_branch& t);
    void write_region(region_index index);
    void write_sent(const region& r, fan_out_memory& known);
    void write_ended(const region& r, fan_out_memory& known);
    void write_node(node_index node);
    [[nodiscard]] encoded_item item_of(const sent_item& sent);
    [[nodiscard]] encoded_item item_of(const ended_branch& branch);

    const graph& of_;
    const frontier& where_;
    encoding& with_;
    linked_writer& to_;
    frame_value_writer& values_;
    fan_out_memories& memory_;
};

}  // namespace weft::checkpoint_detail
