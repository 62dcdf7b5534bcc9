#pragma once

#include <weft/chat/tool_call.hpp>
#include <weft/model/wire/tool_id_style.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/** What makes the tool calls of a reply fit to be executed. */
namespace weft::model_detail {

/** Whether a text is one JSON object, to its end. */
[[nodiscard]] bool is_whole_object(std::string_view text);

/** Gives ids to calls that came without one, and other ones to calls that share one.
 *
 *  @param id_seed    Makes the ids; equal seeds give equal ids.
 *  @param warnings   Gets a line for each id that was changed. */
void give_own_ids(std::vector<tool_call>& calls, std::uint64_t id_seed, std::vector<std::string>& warnings,
                  tool_id_style style = tool_id_style::any);

}  // namespace weft::model_detail
