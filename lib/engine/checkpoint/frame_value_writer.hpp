#pragma once

#include "engine/value/blob_sink.hpp"
#include "engine/value/linked_record.hpp"
#include "engine/value/value_encoder.hpp"

#include <weft/graph/graph.hpp>
#include <weft/graph/node/failure.hpp>
#include <weft/graph/state/branch_state.hpp>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace weft::checkpoint_detail {

/** What all frames of a checkpoint share while they are written. */
struct encoding {
    value_encoder& values;
    blob_sink& blobs;
    linked_writer& to;
};

/** Writes what the sections of one frame have in common: values by key, what branches did to them, and failures, which
 *  are written once and referred to by number. */
class frame_value_writer {
public:
    /** @param prefix     Names the frame in errors: "" or "plan/".
     *  @par Lifetimes    The graph and `with` outlive it. */
    frame_value_writer(const graph& of, encoding& with, std::string prefix)
        : of_{of}, with_{with}, prefix_{std::move(prefix)}
    {
    }

    void write_value(linked_writer& to, const value_ptr& value, std::uint32_t slot);
    void write_entries(linked_writer& to, const branch_state::entries& entries);
    void write_writes(linked_writer& to, const write_set& writes);
    /** Refers to a failure. */
    void write_failure(linked_writer& to, const failure_ptr& what);

    [[nodiscard]] bool has_failures() const noexcept { return !failures_.empty(); }
    /** The failures that were referred to. */
    void write_failures(linked_writer& to) const;
    [[nodiscard]] const std::string& prefix() const noexcept { return prefix_; }

private:
    [[nodiscard]] std::string key_name(std::uint32_t slot) const { return prefix_ + (*of_.layout())[slot].name; }
    void require_stored(std::uint32_t slot, const value_type& type) const;

    const graph& of_;
    encoding& with_;
    std::string prefix_;
    std::vector<const failure*> failures_;
    std::unordered_map<const failure*, std::uint32_t> failure_numbers_;  // when there are many
};

}  // namespace weft::checkpoint_detail
