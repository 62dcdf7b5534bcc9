#pragma once

#include <weft/base/list.hpp>
#include <weft/chat/message.hpp>

#include <boost/json/array.hpp>

#include <string_view>

namespace weft::model_detail {

/** Marks a message whose reasoning goes back to the model. */
inline constexpr std::string_view ollama_name = "ollama";

/** Writes a conversation as Ollama has it.
 *
 *  @param model     The model that is asked; reasoning of other models stays behind.
 *  @param storage   Where the JSON lives.
 *
 *  @par Errors   `errc::invalid_configuration` when a picture is an address. */
[[nodiscard]] boost::json::array ollama_messages(const list<message>& conversation, std::string_view model,
                                                 boost::json::storage_ptr storage);

}  // namespace weft::model_detail
