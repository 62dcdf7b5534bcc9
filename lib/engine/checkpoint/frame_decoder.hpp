#pragma once

#include "engine/value/linked_record.hpp"
#include "frame_names.hpp"
#include "frame_sections.hpp"
#include "frame_value_reader.hpp"

#include <weft/engine/scheduler/frontier.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace weft::checkpoint_detail {

/** Reads one frame: where a run of one graph stands, and the runs in its nodes. */
class frame_decoder {
public:
    /** @param names     Of the graph `of`; they and `with` outlive it.
     *  @param prefix    Names the frame: "" or "plan/". */
    frame_decoder(const graph& of, const frame_names& names, decoding& with, std::string prefix)
        : of_{of}, names_{names}, with_{with}, values_{of, names, with, std::move(prefix)}
    {
    }
    /** @param depth   How many frames are around it.
     *  @return        Nothing if there are problems. */
    [[nodiscard]] std::optional<frontier> read(linked_reader from, std::size_t depth);

private:
    void read_counts(linked_reader from);
    void read_state(const frame_sections& sections);
    void read_branches(const frame_sections& sections);
    void read_path(linked_reader from);
    void read_extras(const frame_sections& sections, std::size_t depth);
    void read_last_outputs(linked_reader from);
    void read_inner(linked_reader from, std::size_t depth);
    void read_inner_frame(linked_reader from, branch_index branch, std::size_t depth);
    void read_spent(linked_reader from);

    const graph& of_;
    const frame_names& names_;
    decoding& with_;
    frame_value_reader values_;
    frontier_data data_;
};

}  // namespace weft::checkpoint_detail
