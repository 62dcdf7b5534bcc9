#pragma once

#include <weft/graph/node_registry.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {
class node_context;
}

/** What kinds have in common that send what a node reads out of the process and write what comes back. */
namespace weft::agent_detail {

/** Where an answer from outside goes. */
struct answer_target {
    std::string into = {};                  ///< The key that gets the whole answer; empty: as `write_answer` says.
    std::vector<std::string> writes = {};   ///< Those of the node's `writes` that the graph has.
};

/** Reads them from the node; says it if `into` is no key that the node may write. */
[[nodiscard]] answer_target answer_target_of(node_request& request, const std::string& into);

/** Writes an answer: whole into `into`, if that is given. Else the members of an object are the node's writes, anything
 *  else goes to the one key of its `writes`, and null writes nothing. Values join the state by the reducers.
 *
 *  @param whose   What answered, for errors: `the service`.
 *  @par Errors    `errc::invalid_output` with all members that are no keys of the graph or that the node may not write,
 *                 and all values that do not fit; nothing is written then. */
void write_answer(node_context& node, const answer_target& keys, const boost::json::value& answer,
                  std::string_view whose);

/** The values of these keys as a JSON object; those without value are left out.
 *  @param reads   Left out: all keys that the node may read and that can be JSON, but for `answer.writes`. */
[[nodiscard]] boost::json::object object_of_reads(const node_context& node,
                                                  const std::optional<std::vector<std::string>>& reads,
                                                  const answer_target& answer);

}  // namespace weft::agent_detail
