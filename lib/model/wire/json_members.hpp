#pragma once

#include <boost/json/object.hpp>

namespace weft::model_detail {

/** Puts the members of one object into another one, over those of the same names. */
inline void put_members(boost::json::object& out, const boost::json::object& more)
{
    for (const boost::json::key_value_pair& member : more) out.insert_or_assign(member.key(), member.value());
}

}  // namespace weft::model_detail
