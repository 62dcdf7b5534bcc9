#include "document_fields.hpp"

#include "store/record/limit_checks.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/store/record/store_limits.hpp>

namespace weft::service_detail {

namespace {

const boost::json::value& member_of(const boost::json::object& body, std::string_view name)
{
    const boost::json::value* found = body.if_contains(name);
    if (!found) throw error{errc::store_corrupt, "a document of a service", "it has no " + std::string{name}};
    return *found;
}

[[noreturn]] void refuse_member(std::string_view name)
{
    throw error{errc::store_corrupt, "a document of a service", std::string{name} + " is of another kind than written"};
}

}  // namespace

boost::json::object object_of(std::string_view text, std::string_view what)
{
    return checked_object(text, document_limits::body_bytes_max, what);
}

std::string text_of_object(const boost::json::object& object) { return to_json_text(object); }

std::string text_of(const boost::json::object& body, std::string_view name)
{
    const boost::json::value& found = member_of(body, name);
    if (!found.is_string()) refuse_member(name);
    return std::string{found.get_string()};
}

std::uint64_t number_of(const boost::json::object& body, std::string_view name)
{
    boost::system::error_code failure;
    const auto number = member_of(body, name).to_number<std::uint64_t>(failure);
    if (failure) refuse_member(name);
    return number;
}

std::string field_of(const boost::json::object& body, std::string_view name)
{
    return to_json_text(member_of(body, name));
}

}  // namespace weft::service_detail
