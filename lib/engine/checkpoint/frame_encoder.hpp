#pragma once

#include "engine/value/checkpoint_format.hpp"
#include "engine/value/list_tree.hpp"
#include "frame_branches_writer.hpp"
#include "frame_value_writer.hpp"

#include <weft/engine/scheduler/frontier.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace weft::checkpoint_detail {

/** What was written of a frame whose lists grow: as far as they are the same, they are not written again. */
struct frame_memory {
    node_path path;
    list_tree path_tree;
    std::vector<node_index> newest_nodes;  // of the path: its memory serves each draft
    fan_out_memories regions;
    std::map<branch_index, std::unique_ptr<frame_memory>> inner;
    bool is_used = false;  // in the draft that is being made
};

/** Writes one frame: where a run of one graph stands, and the runs in its nodes. */
class frame_encoder {
public:
    /** @param prefix     Names the frame in errors: "" or "plan/".
     *  @par Lifetimes    All others outlive it. */
    frame_encoder(const graph& of, const frontier& where, encoding& with, frame_memory& memory, std::string prefix)
        : of_{of}, where_{where}, with_{with}, to_{with.to}, memory_{memory}, values_{of, with, std::move(prefix)}
    {
    }
    /** @param depth   How many frames are around it. */
    void write(std::size_t depth);

private:
    void write_counts();
    void write_state();
    void write_path();
    void write_extras(std::size_t depth);
    void write_inner(std::size_t depth);
    void write_spent(const spending& spent);
    void write_node(node_index node);

    template <class Function>
    void section(frame_section tag, Function function)
    {
        const record_writer::section open = to_.begin(static_cast<std::uint32_t>(tag));
        function();
        to_.end(open);
    }

    const graph& of_;
    const frontier& where_;
    encoding& with_;
    linked_writer& to_;
    frame_memory& memory_;
    frame_value_writer values_;
};

}  // namespace weft::checkpoint_detail
