#pragma once

#include <weft/graph/state/state.hpp>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace weft::serve_detail {

/** Adds the operations that make `after` of `before`, both at `path`. A value that changes in most of its places is
 *  replaced as a whole, and so is what is nested deeper than some levels: the patch is no longer than `after` in JSON
 *  and some bytes.
 *  @param path    A JSON pointer.
 *  @par Source    RFC 6902, RFC 6901. */
void add_json_patch(boost::json::array& to, const boost::json::value& before, const boost::json::value& after,
                    std::string_view path);

/** The same for the values of a run as clients get them. Of a list that grew, the new items are added: what it had is
 *  not looked at. Values that both states share cost nothing.
 *  @param without  Slots that clients do not get as state.
 *  @par Errors    `state_conversion` names the key. */
[[nodiscard]] boost::json::array state_patch(const state& before, const state& after,
                                             const std::vector<std::uint32_t>& without);

}  // namespace weft::serve_detail
