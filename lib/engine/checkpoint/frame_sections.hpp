#pragma once

#include "engine/value/checkpoint_format.hpp"
#include "engine/value/linked_record.hpp"

#include <weft/base/system/ids.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace weft::checkpoint_detail {

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

}  // namespace weft::checkpoint_detail
