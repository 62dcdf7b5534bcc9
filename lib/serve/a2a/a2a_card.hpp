#pragma once

#include "serve/run/serve_core.hpp"

#include <weft/store/service/assistant_registry.hpp>

#include <boost/json/object.hpp>

#include <string>

namespace weft::serve_detail {

/** What a card says of the server beside its agents. */
struct a2a_place {
    std::string url = {};       ///< Of the server, without a slash at the end.
    bool asks_for_key = false;  ///< Whether callers must say who they are.
};

/** The card of one agent: for clients of 1.0, and with the members that those of 0.3 read. */
[[nodiscard]] boost::json::object a2a_card_of(const assistant& shown, const weft::graph& graph, const a2a_place& at);

/** The card of a server with several agents: each is a skill, which messages name in `metadata.skill`. */
[[nodiscard]] boost::json::object a2a_card_of(const served_set& all, const a2a_place& at);

}  // namespace weft::serve_detail
