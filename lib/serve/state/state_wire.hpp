#pragma once

#include <weft/graph/state/written_values.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/node/command.hpp>
#include <weft/graph/state/state.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <string_view>

namespace weft::serve_detail {

/** All values of a state, as clients see them: lists of messages in LangChain's form.
 *  @par Errors  As `state::to_json`. */
[[nodiscard]] boost::json::object values_for_client(const state& of);

/** One of them: the value of a key, and an item of one that is a list. `values_for_client` is made of these.
 *  @par Errors  As `to_json` of the type. */
[[nodiscard]] boost::json::value value_for_client(const key_type& type, std::string_view name, const value_box& box);
[[nodiscard]] boost::json::value item_for_client(const key_type& type, std::string_view name, const value_box& list,
                                                 std::size_t index);

/** Whether values of a key are lists of messages. */
[[nodiscard]] bool has_messages(const key_type& type) noexcept;

/** Whether a key of a graph is a list of messages. */
[[nodiscard]] bool has_conversation(const weft::graph& of) noexcept;

/** What a node wrote, likewise. */
[[nodiscard]] boost::json::object writes_for_client(const written_values& of);

/** Reads what a client writes into the state: each value goes through the reducer of its key, so that of a list the
 *  items are added.
 *  @param where   The JSON path, for messages, e.g. `input`.
 *  @par Errors    `http_error` 422: an unknown key, with those there are; a value that does not fit its key. */
[[nodiscard]] state_update read_update(const weft::graph& of, const boost::json::object& values,
                                       std::string_view where);

/** Reads values that replace what is there. */
[[nodiscard]] state_update read_values(const weft::graph& of, const boost::json::object& values,
                                       std::string_view where);

}  // namespace weft::serve_detail
