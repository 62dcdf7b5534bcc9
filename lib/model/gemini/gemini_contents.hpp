#pragma once

#include <weft/model/chat_request.hpp>
#include <weft/model/gemini/gemini_settings.hpp>

#include <boost/json/array.hpp>

#include <string_view>

namespace weft::model_detail {

/** A conversation as Gemini has it. */
struct gemini_conversation {
    boost::json::array system;  ///< Parts.
    boost::json::array contents;
};

/** @param model     The model that is asked; provider data of others stays behind.
 *  @param storage   Where the JSON lives.
 *
 *  @par Errors   `errc::invalid_configuration` when a result answers a call that is not there. */
[[nodiscard]] gemini_conversation gemini_contents(const list<message>& conversation, const gemini_settings& settings,
                                                  std::string_view model, const boost::json::storage_ptr& storage);

}  // namespace weft::model_detail
