#pragma once

#include "engine/value/linked_record.hpp"
#include "frame_value_reader.hpp"

#include <weft/engine/scheduler/frontier.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace weft::checkpoint_detail {

/** Reads the branches and the open fan-outs of one frame. */
class frame_branches_reader {
public:
    /** As the sections `regions` and `fan_outs` have them. */
    enum class region_form : std::uint8_t { whole, lists };

    /** @par Lifetimes  All outlive it. */
    frame_branches_reader(const graph& of, frame_value_reader& values) noexcept : of_{of}, values_{values} {}

    [[nodiscard]] pooled_vector<run_branch> read_branches(linked_reader from);
    [[nodiscard]] pooled_vector<region> read_regions(linked_reader from, region_form form);

private:
    [[nodiscard]] run_branch read_branch(linked_reader& from);
    void read_ended_branches(linked_reader& from, run_branch& into);
    [[nodiscard]] region read_region(linked_reader& from, region_form form);
    void read_beginnings(linked_reader from, region& into);
    [[nodiscard]] sent_item read_sent_item(linked_reader& from, bool has_begun);
    void read_sent(linked_reader& from, region& into);
    void read_ended(linked_reader& from, region& into);
    void read_ended_whole(linked_reader& from, region& into);
    [[nodiscard]] std::vector<node_index> read_nodes(linked_reader& from, std::string_view why);
    void check_fan_out(const frame_names::node& source);

    const graph& of_;
    frame_value_reader& values_;
};

}  // namespace weft::checkpoint_detail
