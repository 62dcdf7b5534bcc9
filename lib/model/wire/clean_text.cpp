#include "clean_text.hpp"

#include <weft/base/utf8.hpp>

namespace weft::model_detail {

namespace json = boost::json;

json::value clean_text(std::string_view text, const json::storage_ptr& storage)
{
    if (is_valid_utf8(text)) return json::value(json::string_view{text.data(), text.size()}, storage);
    return json::value(json::string_view{repaired_utf8(text)}, storage);
}

}  // namespace weft::model_detail
