#pragma once

#include <weft/base/list.hpp>
#include <weft/chat/message.hpp>
#include <weft/model/responses/responses_settings.hpp>

#include <boost/json/array.hpp>

#include <cstddef>
#include <string_view>

namespace weft::model_detail {

/** How many messages at the beginning of a conversation go into `instructions`: those of the system, unless there are
 *  no others. */
[[nodiscard]] std::size_t count_instructions(const list<message>& conversation);

/** Writes a conversation as items of the Responses API.
 *
 *  @param skipped   How many messages at its beginning are left out.
 *  @param model     The model that is asked; provider data of other models stays behind.
 *  @param storage   Where the JSON lives. */
[[nodiscard]] boost::json::array responses_input(const list<message>& conversation, std::size_t skipped,
                                                 const responses_settings& settings, std::string_view model,
                                                 boost::json::storage_ptr storage);

}  // namespace weft::model_detail
