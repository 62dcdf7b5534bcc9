#pragma once

#include <weft/model/anthropic/anthropic_settings.hpp>
#include <weft/model/chat_request.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <string_view>

namespace weft::model_detail {

/** A conversation as the Messages API has it. */
struct anthropic_conversation {
    boost::json::array system;    ///< Blocks of text.
    boost::json::array messages;  ///< Of user and assistant in turns.
};

/** @param model     The model that is asked; reasoning and provider data of others stay behind.
 *  @param storage   Where the JSON lives. */
[[nodiscard]] anthropic_conversation anthropic_messages(const list<message>& conversation,
                                                        const anthropic_settings& settings, std::string_view model,
                                                        const boost::json::storage_ptr& storage);

/** What marks the end of a beginning that the provider is to keep. */
[[nodiscard]] boost::json::object cache_mark(const anthropic_cache& cache, const boost::json::storage_ptr& storage);

}  // namespace weft::model_detail
