#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <string_view>

/** Members of documents, as the classes of this room wrote them. */
namespace weft::service_detail {

/** A JSON object out of a text. @par Errors `errc::invalid_json`, `errc::limit_reached`; `where` is `what`. */
[[nodiscard]] boost::json::object object_of(std::string_view text, std::string_view what);
[[nodiscard]] std::string text_of_object(const boost::json::object& object);

/** @par Errors `errc::store_corrupt` where a member is missing or of another kind. */
[[nodiscard]] std::string text_of(const boost::json::object& body, std::string_view name);
[[nodiscard]] std::uint64_t number_of(const boost::json::object& body, std::string_view name);
/** A member as JSON text. */
[[nodiscard]] std::string field_of(const boost::json::object& body, std::string_view name);

}  // namespace weft::service_detail
