#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace weft::model_detail {

/** What a server says about an error, whatever shape it puts it into. */
struct error_words {
    std::string message;
    std::string type;
    std::string code;
    int status = 0;  ///< Where `code` is one.
};

/** Shapes: `{"error":{"message":…}}`, `{"error":"…"}`, `{"message":…}`, `{"detail":…}` and the bare error. */
[[nodiscard]] error_words words_of(const boost::json::object& report);

/** Reads the words from a body: JSON, an array with one report in it, or plain text. */
[[nodiscard]] error_words words_of_body(std::string_view body);

}  // namespace weft::model_detail
