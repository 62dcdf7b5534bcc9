#pragma once

#include <weft/model/chat_request.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

#include <string_view>

/** What the request writers of all providers share. */
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

/** A text as JSON; what is not UTF-8 is repaired. */
[[nodiscard]] boost::json::value clean_text(std::string_view text, const boost::json::storage_ptr& storage);

/** Puts the members of one object into another one, over those of the same names. */
void put_members(boost::json::object& out, const boost::json::object& more);

}  // namespace weft::model_detail
