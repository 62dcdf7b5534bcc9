#pragma once

#include "engine/value/linked_record.hpp"
#include "engine/value/value_decoder.hpp"
#include "frame_names.hpp"

#include <weft/engine/checkpoint/graph_fingerprint.hpp>
#include <weft/engine/checkpoint/graph_migration.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/node/failure.hpp>
#include <weft/graph/state/branch_state.hpp>

#include <cstdint>
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

/** Reads what the sections of one frame have in common: nodes and keys, which the frame names by their places in the
 *  graph that it was written with, and values and failures.
 *
 *  What the graph of now cannot go on with becomes a problem, and reading goes on: a person learns all of them at once.
 */
class frame_value_reader {
public:
    enum class role { value, update };

    /** @param prefix     Names the frame in problems: "" or "plan/".
     *  @par Lifetimes    The others outlive it. */
    frame_value_reader(const graph& of, const frame_names& names, decoding& with, std::string prefix)
        : of_{of}, names_{names}, with_{with}, prefix_{std::move(prefix)}
    {
    }

    /** Null for none and for the end. */
    [[nodiscard]] const frame_names::node* old_node(linked_reader& from) const;
    [[nodiscard]] node_index node(linked_reader& from) const;
    /** A node without which the run cannot go on. @param why   "a branch stands at it". */
    [[nodiscard]] node_index needed_node(linked_reader& from, std::string_view why);
    [[nodiscard]] const frame_names::key& key(linked_reader& from) const;
    /** Null if there is none, or if it is a problem. */
    [[nodiscard]] value_ptr value(linked_reader& from, const frame_names::key& key, role as);
    [[nodiscard]] branch_state::entries entries(linked_reader& from);
    [[nodiscard]] write_set writes(linked_reader& from);

    /** Reads the failures that the frame refers to. */
    void read_failures(linked_reader from);
    /** One of them, by its number. */
    [[nodiscard]] failure_ptr failure(linked_reader& from) const;

    void add_problem(graph_change::kind what, std::string_view name, std::string detail);
    /** A frame within this one has problems. */
    void mark_problem() noexcept { has_problems_ = true; }
    [[nodiscard]] bool has_problems() const noexcept { return has_problems_; }
    [[nodiscard]] const value_decoder& blobs() const noexcept { return with_.values; }
    [[nodiscard]] const std::string& prefix() const noexcept { return prefix_; }

private:
    [[nodiscard]] value_ptr converted(linked_reader& from, const frame_names::key& key, role as);

    const graph& of_;
    const frame_names& names_;
    decoding& with_;
    std::string prefix_;
    std::vector<failure_ptr> failures_;
    bool has_problems_ = false;
};

/** Reads an item that `write_item` wrote. */
template <class Function>
void read_item(linked_reader& from, std::string_view place, const value_decoder& blobs, Function function)
{
    const std::uint64_t length = from.number();
    if (length > 0) return function(from.inside(from.raw(static_cast<std::size_t>(length - 1)), place));
    const blob_table::entry& part = blobs.blob_at(from.link());
    function(linked_reader{part.bytes, place, part.links});
}

}  // namespace weft::checkpoint_detail
