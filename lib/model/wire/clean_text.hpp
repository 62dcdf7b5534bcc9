#pragma once

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

#include <string_view>

namespace weft::model_detail {

/** A text as JSON; what is not UTF-8 is repaired. */
[[nodiscard]] boost::json::value clean_text(std::string_view text, const boost::json::storage_ptr& storage);

}  // namespace weft::model_detail
