#pragma once

#include <weft/chat/message.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <string>
#include <string_view>

/** Output items of the Responses API, as they come and as they go back. */
namespace weft::model_detail {

/** All texts of the parts of a message that are of this type: `output_text` or `refusal`. */
[[nodiscard]] std::string text_of_parts(const boost::json::object& item, std::string_view type);

/** The summary of a reasoning item, then its text, with blank lines between the parts. */
[[nodiscard]] std::string text_of_reasoning(const boost::json::object& item);

[[nodiscard]] bool is_function_call(std::string_view type) noexcept;
[[nodiscard]] bool is_custom_call(std::string_view type) noexcept;

/** Whether the neutral form of a message loses nothing that matters of the item. */
[[nodiscard]] bool is_plain(const boost::json::object& item);

/** Whether items may go back in place of the message that was made of them: they still say the same, and no reasoning
 *  among them refers to what the provider does not keep. */
[[nodiscard]] bool may_stand_for(const boost::json::array& items, const message& m, bool is_stored);

}  // namespace weft::model_detail
