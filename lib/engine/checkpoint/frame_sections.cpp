#include "frame_sections.hpp"

#include <weft/base/error.hpp>

#include <cstdint>
#include <string>

namespace weft::checkpoint_detail {

frame_sections::frame_sections(linked_reader from) : all_{from}
{
    while (const auto section = from.next_section()) {
        if (section->tag >= known || section->tag > static_cast<std::uint32_t>(frame_section::fan_outs)) {
            if (!section->is_needed) continue;
            throw error{errc::store_refused, "checkpoint",
                        "it has a part " + std::to_string(section->tag) +
                            " that this version of weft does not know; use a newer one"};
        }
        if (bytes_[section->tag]) from.refuse("a part is there twice");
        bytes_[section->tag] = section->bytes;
    }
}

std::optional<linked_reader> frame_sections::find(frame_section tag) const
{
    constexpr std::array<std::string_view, known> places{
        "checkpoint",          "checkpoint, graph",        "checkpoint, counts", "checkpoint, state",
        "checkpoint, failures", "checkpoint, tokens",      "checkpoint, regions", "checkpoint, path",
        "checkpoint, deferred", "checkpoint, last outputs", "checkpoint, late",   "checkpoint, graphs in nodes",
        "checkpoint, spent",   "checkpoint, elapsed",      "checkpoint, origin", "checkpoint, fan-outs"};
    const auto index = static_cast<std::size_t>(tag);
    if (!bytes_[index]) return std::nullopt;
    return all_.inside(*bytes_[index], places[index]);
}

run_id read_origin(const frame_sections& sections)
{
    auto part = sections.find(frame_section::origin);
    if (!part) return run_id{};
    unique_id id;
    for (std::uint8_t& byte : id.bytes) byte = part->byte();
    part->require_end();
    return run_id{id};
}

}  // namespace weft::checkpoint_detail
