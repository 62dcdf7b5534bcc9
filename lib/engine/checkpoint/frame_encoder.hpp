#pragma once

#include "engine/value/blob_sink.hpp"
#include "engine/value/checkpoint_format.hpp"
#include "engine/value/linked_record.hpp"
#include "engine/value/list_tree.hpp"
#include "engine/value/value_encoder.hpp"

#include <weft/engine/scheduler/frontier.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace weft::checkpoint_detail {

/** A part that stands in place if it is small and refers to nothing, else as a blob. */
struct written_part {
    std::string in_place;
    std::optional<content_hash> blob;
};

/** What was written of a fan-out. */
struct fan_out_memory {
    intrusive_ptr<const shared_items> sent;  // kept, so that no other items get its address
    list_tree sent_tree;
    written_part beginnings;                 // of the branches, if something is sent to them
    settled_list<ended_branch> ended;
    list_tree ended_tree;
};

/** What was written of a frame whose lists grow: as far as they are the same, they are not written again. */
struct frame_memory {
    node_path path;
    list_tree path_tree;
    std::map<region_index, fan_out_memory> regions;
    std::map<branch_index, std::unique_ptr<frame_memory>> inner;
    bool is_used = false;  // in the draft that is being made
};

/** What all frames of a writer share. */
struct encoding {
    value_encoder& values;
    blob_sink& blobs;
    linked_writer& to;
};

/** Writes one frame. */
class frame_encoder {
public:
    /** @param prefix   Names the frame in errors: "" or "plan/". */
    frame_encoder(const graph& of, const frontier& where, encoding& with, frame_memory& memory, std::string prefix)
        : of_{of}, where_{where}, with_{with}, to_{with.to}, memory_{memory}, prefix_{std::move(prefix)}
    {
    }
    /** @param depth   How many frames are around it. */
    void write(std::size_t depth);

private:
    // frame_encoder.cpp
    void write_counts();
    void write_state();
    void write_path();
    void write_failures();
    void write_extras(std::size_t depth);
    void write_inner(std::size_t depth);
    void write_spent(const spending& spent);
    void node(node_index node) { to_.number(code_of_node(node)); }
    void failure(linked_writer& to, const failure_ptr& what);
    [[nodiscard]] std::string key_name(std::uint32_t slot) const { return prefix_ + (*of_.layout())[slot].name; }

    // frame_branches_encoder.cpp: branches and regions.
    void write_branches();
    void write_branch(const run_branch& t);
    void write_regions();
    void write_region(region_index index);
    void write_sent(const region& r, fan_out_memory& known);
    void write_ended(const region& r, fan_out_memory& known);
    [[nodiscard]] stored_item beginnings_of(const region& r) const;
    void write_entries(linked_writer& to, const branch_state::entries& entries);
    void write_writes(linked_writer& to, const write_set& writes);
    void require_stored(std::uint32_t slot, const value_type& type) const;
    [[nodiscard]] stored_item item_of(const sent_item& sent);
    [[nodiscard]] stored_item item_of(const ended_branch& branch);
    friend class sent_item_maker;
    friend class ended_item_maker;

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
    std::string prefix_;
    std::vector<const weft::failure*> failures_;
    std::unordered_map<const weft::failure*, std::uint32_t> failure_numbers_;  // when there are many
};

/** The bytes of a failure; they refer to nothing. */
[[nodiscard]] std::string bytes_of(const weft::failure& what);

}  // namespace weft::checkpoint_detail
