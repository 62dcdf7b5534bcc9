#pragma once

#include <weft/model/chat_request.hpp>
#include <weft/model/openai/openai_profile.hpp>

#include "model/wire/request_writing.hpp"

#include <boost/json/array.hpp>

#include <string>
#include <string_view>

namespace weft::model_detail {

/** Writes a conversation as Chat Completions has it.
 *
 *  @param model     The model that is asked; provider data of other models stays behind.
 *  @param storage   Where the JSON lives. */
[[nodiscard]] boost::json::array openai_messages(const list<message>& conversation, const openai_profile& profile,
                                                 std::string_view model, boost::json::storage_ptr storage);

}  // namespace weft::model_detail
