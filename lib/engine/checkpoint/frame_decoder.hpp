#pragma once

#include "engine/value/checkpoint_format.hpp"
#include "frame_names.hpp"
#include "engine/value/linked_record.hpp"
#include "engine/value/value_decoder.hpp"

#include <weft/engine/checkpoint/graph_fingerprint.hpp>
#include <weft/engine/checkpoint/graph_migration.hpp>
#include <weft/engine/scheduler/frontier.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::checkpoint_detail {

/** What all frames of a checkpoint share while they are read. */
struct decoding {
    value_decoder values;
    const graph_migrations& by;
    std::vector<graph_change> problems = {};  ///< Why this checkpoint cannot go on with the graph.
};

/** The sections of a frame, by their tags. */
class frame_sections {
public:
    /** @par Errors   `store_corrupt` if one is there twice; `store_refused` if one is unknown and needed. */
    explicit frame_sections(linked_reader from);
    /** Nothing if the frame has no such section. */
    [[nodiscard]] std::optional<linked_reader> find(frame_section tag) const;

private:
    static constexpr std::size_t known = 16;  // tags; the greatest is that of `fan_outs`
    linked_reader all_;
    std::array<std::optional<std::string_view>, known> bytes_;
};

/** The run that began to count the visits of a frame; nil if it does not say. */
[[nodiscard]] run_id read_origin(const frame_sections& sections);

/** Reads one frame. */
class frame_decoder {
public:
    /** @param names   Of the graph `of`; they and `with` outlive it.
     *  @param prefix   Names the frame: "" or "plan/". */
    frame_decoder(const graph& of, const frame_names& names, decoding& with, std::string prefix)
        : of_{of}, names_{names}, with_{with}, prefix_{std::move(prefix)}
    {
    }
    /** @param depth   How many frames are around it.
     *  @return        Nothing if there are problems. */
    [[nodiscard]] std::optional<frontier> read(linked_reader from, std::size_t depth);

private:
    // frame_decoder.cpp
    void read_counts(linked_reader from);
    void read_state(const frame_sections& sections);
    void read_path(linked_reader from);
    void read_failures(linked_reader from);
    void read_extras(const frame_sections& sections, std::size_t depth);
    void read_last_outputs(linked_reader from);
    void read_inner(linked_reader from, std::size_t depth);
    void read_inner_frame(linked_reader from, branch_index branch, std::size_t depth);
    void read_spent(linked_reader from);

    // What all parts use.
    [[nodiscard]] const frame_names::node* old_node(linked_reader& from) const;
    [[nodiscard]] node_index node(linked_reader& from) const;
    /** A node without which the run cannot go on. @param why   "a branch stands at it". */
    [[nodiscard]] node_index needed_node(linked_reader& from, std::string_view why);
    [[nodiscard]] const frame_names::key& key(linked_reader& from) const;
    enum class role { value, update };
    [[nodiscard]] value_ptr value(linked_reader& from, const frame_names::key& key, role as);
    [[nodiscard]] value_ptr converted(linked_reader& from, const frame_names::key& key, role as);
    [[nodiscard]] failure_ptr failure(linked_reader& from) const;
    void problem(graph_change::kind what, std::string_view name, std::string detail);

    // frame_branches_decoder.cpp: branches and regions.
    void read_branches(linked_reader from);
    [[nodiscard]] run_branch read_branch(linked_reader& from);
    void read_ended_branches(linked_reader& from, run_branch& into);
    enum class region_form { whole, lists };  // as the sections `regions` and `fan_outs` have them
    void read_regions(linked_reader from, region_form form);
    [[nodiscard]] region read_region(linked_reader& from, region_form form);
    void read_beginnings(linked_reader from, region& into);
    [[nodiscard]] sent_item read_sent_item(linked_reader& from, bool has_begun);
    void read_sent(linked_reader& from, region& into);
    void read_ended(linked_reader& from, region& into);
    void read_ended_whole(linked_reader& from, region& into);
    [[nodiscard]] std::vector<node_index> read_nodes(linked_reader& from, std::string_view why);
    [[nodiscard]] branch_state::entries read_entries(linked_reader& from);
    [[nodiscard]] write_set read_writes(linked_reader& from);
    void check_fan_out(const frame_names::node& source);

    const graph& of_;
    const frame_names& names_;
    decoding& with_;
    std::string prefix_;
    frontier_data data_;
    std::vector<failure_ptr> failures_;
    bool has_problems_ = false;
};

/** Reads an item that `write_item` wrote. */
template <class Function>
void read_item(linked_reader& from, std::string_view place, const value_decoder& blobs, Function function)
{
    const std::uint64_t length = from.number();
    if (length > 0) return function(from.inside(from.raw(static_cast<std::size_t>(length - 1)), place));
    const blob& part = blobs.blob_at(from.link());
    function(linked_reader{part.bytes, place, part.links});
}

/** What `bytes_of` made of a failure. */
[[nodiscard]] failure_ptr read_failure(record_reader from);

/** Checks that the parts of a frontier fit together, so that a scheduler can be made of it.
 *  @par Errors   `store_corrupt`. */
void check_frontier(const frontier_data& parts, const graph& of);

}  // namespace weft::checkpoint_detail
