#pragma once

#include <weft/model/chat_request.hpp>

#include <boost/json/array.hpp>

#include <string_view>

/** What a request must have, whoever is asked. */
namespace weft::model_detail {

/** The model that a request is for: the one it names, else the one that its `chat_model` was made for.
 *
 *  @par Errors   `errc::invalid_configuration` when there is neither. */
[[nodiscard]] std::string_view asked_model(const chat_request& request, std::string_view otherwise);

/** @par Errors   `errc::invalid_configuration` when there are no messages. */
void require_messages(const chat_request& request);

/** @param written   The conversation as the provider wants it, without what the system says.
 *  @par Errors      `errc::invalid_configuration` when nothing is left of it. */
void require_conversation(const boost::json::array& written);

}  // namespace weft::model_detail
