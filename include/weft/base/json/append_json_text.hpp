#pragma once

#include <string>
#include <string_view>

namespace weft {

/** Appends a text as JSON, with its quotation marks: what Boost.JSON makes of it, without a text of its own.
 *
 *      append_json_text(line, "say \"yes\"");
 *
 *  @param text   UTF-8; what is not is the caller's affair. */
void append_json_text(std::string& to, std::string_view text);

}  // namespace weft
